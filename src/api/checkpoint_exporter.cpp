#include "api/checkpoint_exporter.h"

#include <voxport/export.h>

#include "arch/architecture.h"
#include "arch/vits/family.h"
#include "base/fail.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/weights_file.h"
#include "export/published_voice.h"
#include "voice/kind.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

void check_speaks_alone(const fs::path& path) {
  if (is_onnx_file(SavedFile::open(path))) return;  // a whole voice, or none
  const Checkpoint checkpoint = open_checkpoint(path);
  const std::optional<NamedTensors> tensors = find_weights(checkpoint.root);
  const auto recognised = tensors ? recognise_architecture(*tensors) : std::nullopt;
  if (recognised && recognised->architecture->voice_part != VoicePart::kWhole)
    fail(Error::kUnsupported, "a ", recognised->title,
         " does not speak alone; a folder that `voxport export ",
         fastspeech2_voice().folder().arguments, "` writes does");
}

void export_voice(const fs::path& checkpoint, const fs::path& folder, const VoiceOptions& voice) {
  ExportOptions options;
  if (!voice.config.empty()) options.configs = {voice.config};
  options.on_stage = voice.on_stage;
  export_model(checkpoint, folder, options);
}

}  // namespace

CheckpointExporter checkpoint_exporter() {
  return {find_weights_file, vits::files_beside, check_speaks_alone, export_voice,
          is_published_file};
}

}  // namespace voxport
