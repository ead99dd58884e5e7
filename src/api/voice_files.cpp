#include "api/voice_files.h"

#include <cstdlib>

#include <voxport/export.h>
#include <voxport/version.h>

#include "api/source_hash.h"
#include "api/voice_kind.h"
#include "arch/architecture.h"
#include "base/fail.h"
#include "checkpoint/checkpoint.h"

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

std::string files_text(const VoiceKind& kind) {
  const VoiceKind::Folder& names = kind.folder();
  return cat(names.text_graph, ", ", names.decoder, " or ", names.stream_decoder,
             ", and voice.json");
}

// The kind of voice whose first graph is in the folder.
const VoiceKind& kind_in(const fs::path& folder) {
  const VoiceKind* found = nullptr;
  std::string expected;
  for (const VoiceKind* kind : voice_kinds()) {
    expected += cat(expected.empty() ? "" : "; or ", files_text(*kind));
    if (!is_file(folder / kind->folder().text_graph)) continue;
    if (found)
      fail(Error::kUsage, in_quotes(folder.native()), " has both ", found->folder().text_graph,
           " and ", kind->folder().text_graph, ", which are two voices: give each its own folder");
    found = kind;
  }
  if (!found)
    fail(Error::kUnreadable, in_quotes(folder.native()), " is no voice: expected in it ", expected,
         ", as `voxport export` writes them");
  return *found;
}

// Ours is voice.json, others' config.json.
VoiceFiles files_in_folder(const fs::path& folder) {
  const VoiceKind& kind = kind_in(folder);
  const VoiceKind::Folder& names = kind.folder();
  VoiceFiles files{&kind, folder / names.text_graph, if_there(folder / names.decoder),
                   if_there(folder / names.stream_decoder), folder / "voice.json"};
  if (!is_file(files.config)) files.config = folder / "config.json";
  if (!is_file(files.config) || !(files.decoder || files.stream_decoder))
    fail(Error::kUnreadable, in_quotes(folder.native()), " is no whole voice: expected in it ",
         files_text(kind), ", as `voxport export ", names.arguments, "` writes them to OUT");
  return files;
}

VoiceFiles files_of_graph(const fs::path& graph) {
  VoiceFiles files{&vits_voice(), graph, std::nullopt, std::nullopt, graph.native() + ".json"};
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

// Those that are half a voice are refused; what is none at all, the export refuses.
void check_speaks_alone(const fs::path& path) {
  const Checkpoint checkpoint = open_checkpoint(path);
  const StateDict state = find_state_dict(checkpoint.root);
  const auto recognised = state.dict ? recognise_architecture(*state.dict) : std::nullopt;
  if (recognised && recognised->architecture->name != "vits")
    fail(Error::kUnsupported, "a ", recognised->architecture->title,
         " does not speak alone; a folder that `voxport export ",
         fastspeech2_voice().folder().arguments, "` writes does");
}

// By the hashes of what it is made of, so that a checkpoint that changes is exported anew.
VoiceFiles files_of_checkpoint(const fs::path& checkpoint, const VoiceOptions& options) {
  std::string name = hash_in_background(checkpoint).get();
  for (const fs::path& config :
       {fs::path(checkpoint).replace_extension(".json"), fs::path(checkpoint.native() + ".json")})
    if (is_file(config)) name += "-" + hash_in_background(config).get().substr(0, 16);
  const fs::path folder = cache_folder(options) / cat(name, "-", kVersion);
  if (is_file(folder / "voice.json")) return files_in_folder(folder);
  check_speaks_alone(checkpoint);
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
