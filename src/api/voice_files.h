// Which files a voice consists of.
#pragma once

#include <filesystem>
#include <optional>

#include <voxport/speak.h>

namespace voxport {

class VoiceKind;

struct VoiceFiles {
  const VoiceKind* kind = nullptr;
  std::filesystem::path text_graph;  // encoder.onnx, acoustic.onnx, or the whole voice
  std::optional<std::filesystem::path> decoder, stream_decoder;  // none with a whole voice
  std::filesystem::path config;
};

// The files of an exported folder or a graph. A checkpoint is exported to the cache first, unless
// the same was before. Fails with kUnreadable, naming what was looked for, when one is not there,
// and with kUsage when there are two voices in a folder.
VoiceFiles find_voice(const std::filesystem::path& path, const VoiceOptions& options);

}  // namespace voxport
