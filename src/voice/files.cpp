#include "voice/files.h"

#include "base/fail.h"

namespace voxport {

namespace fs = std::filesystem;

VoiceFiles find_voice(const fs::path& path, const VoiceOptions& options,
                      const CheckpointExporter& exporter) {
  std::error_code error;
  if (!fs::exists(path, error))
    fail(Error::kUnreadable, "cannot open ", in_quotes(path.native()), ": ",
         error ? error.message() : "No such file or directory");
  if (fs::is_directory(path, error)) {
    const auto checkpoint = has_graphs(path) ? std::nullopt : exporter.find(path);
    return checkpoint ? files_of_checkpoint(*checkpoint, options, exporter) : files_in_folder(path);
  }
  return path.extension() == ".onnx" ? files_of_graph(path)
                                     : files_of_checkpoint(path, options, exporter);
}

}  // namespace voxport
