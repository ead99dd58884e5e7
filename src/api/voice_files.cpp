#include "api/voice_files.h"

#include <cstdlib>

#include <voxport/export.h>
#include <voxport/version.h>

#include "api/source_hash.h"
#include "base/fail.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::optional<fs::path> if_there(const fs::path& path) {
  return is_file(path) ? std::optional(path) : std::nullopt;
}

// Of a folder: ours is voice.json, others' config.json.
VoiceFiles files_in_folder(const fs::path& folder) {
  VoiceFiles files{folder / "encoder.onnx", if_there(folder / "decoder.onnx"),
                   if_there(folder / "decoder_stream.onnx"), folder / "voice.json"};
  if (!is_file(files.config)) files.config = folder / "config.json";
  const bool is_whole = is_file(files.text_graph) && is_file(files.config);
  if (!is_whole || !(files.decoder || files.stream_decoder)) {
    fail(
        Error::kUnreadable, in_quotes(folder.native()),
        " is no voice: expected encoder.onnx, decoder.onnx or decoder_stream.onnx, and voice.json ",
        "in it, as `voxport export CHECKPOINT ", printable(folder.native()), "` writes them");
  }
  return files;
}

VoiceFiles files_of_graph(const fs::path& graph) {
  VoiceFiles files{graph, std::nullopt, std::nullopt, graph.native() + ".json"};
  if (!is_file(files.config)) files.config = fs::path(graph).replace_extension(".json");
  if (!is_file(files.config))
    fail(Error::kUnreadable, "there is no ", in_quotes(graph.native() + ".json"),
         ", expected the voice's config beside its graph");
  return files;
}

fs::path cache_folder(const VoiceOptions& options) {
  if (!options.cache.empty()) return options.cache;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return fs::path(cache) / "voxport";
  const char* const home = std::getenv("HOME");
  if (home && *home) return fs::path(home) / ".cache" / "voxport";
  fail(Error::kUnwritable,
       "there is nowhere to export the checkpoint to: neither XDG_CACHE_HOME nor ",
       "HOME is set; export it first, with `voxport export`");
}

// By the hashes of what it is made of, so that a checkpoint that changes is exported anew.
VoiceFiles files_of_checkpoint(const fs::path& checkpoint, const VoiceOptions& options) {
  std::string name = hash_in_background(checkpoint).get();
  for (const fs::path& config :
       {fs::path(checkpoint).replace_extension(".json"), fs::path(checkpoint.native() + ".json")})
    if (is_file(config)) name += "-" + hash_in_background(config).get().substr(0, 16);
  const fs::path folder = cache_folder(options) / cat(name, "-", kVersion);
  if (is_file(folder / "voice.json")) return files_in_folder(folder);
  ExportOptions exporting;
  exporting.on_stage = options.on_stage;
  export_model(checkpoint, folder, exporting);
  return files_in_folder(folder);
}

}  // namespace

VoiceFiles find_voice(const fs::path& path, const VoiceOptions& options) {
  std::error_code error;
  if (!fs::exists(path, error))
    fail(Error::kUnreadable, "cannot open ", in_quotes(path.native()), ": ",
         error ? error.message() : "No such file or directory");
  if (fs::is_directory(path, error)) return files_in_folder(path);
  return path.extension() == ".onnx" ? files_of_graph(path) : files_of_checkpoint(path, options);
}

}  // namespace voxport
