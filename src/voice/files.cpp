#include "voice/files.h"

#include "base/fail.h"

namespace voxport {

namespace fs = std::filesystem;

namespace {

// Of a published voice, what it becomes when it is exported: that streams within a sentence. Where
// that cannot be had, the graph speaks as it is.
VoiceFiles files_of_whole_voice(const fs::path& graph, const VoiceOptions& options,
                                const CheckpointExporter& exporter) {
  VoiceFiles whole = files_of_graph(graph, options.config);
  try {
    if (exporter.is_published(graph)) return files_of_checkpoint(graph, options, exporter);
  } catch (const Error& error) {
    whole.notes.push_back(
        cat("the voice is spoken in whole sentences, as its file has it: ", first_line(error)));
  }
  return whole;
}

VoiceFiles files_of_file(const fs::path& path, const VoiceOptions& options,
                         const CheckpointExporter& exporter) {
  return path.extension() == ".onnx" ? files_of_whole_voice(path, options, exporter)
                                     : files_of_checkpoint(path, options, exporter);
}

}  // namespace

VoiceFiles find_voice(const fs::path& path, const VoiceOptions& options,
                      const CheckpointExporter& exporter) {
  std::error_code error;
  if (!fs::exists(path, error))
    fail(Error::kUnreadable, "cannot open ", in_quotes(path.native()), ": ",
         error ? error.message() : "No such file or directory");
  if (fs::is_directory(path, error)) {
    const bool is_exported = has_graphs(path);
    if (is_exported && !options.config.empty())
      fail_about("config", Error::kUsage, in_quotes(path.native()),
                 " is an exported folder, which has its config in it; another one was given");
    const auto checkpoint = is_exported ? std::nullopt : exporter.find(path);
    return checkpoint ? files_of_file(*checkpoint, options, exporter) : files_in_folder(path);
  }
  return files_of_file(path, options, exporter);
}

}  // namespace voxport
