// The files of a voice that is there already: an exported folder, or a graph with its config.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace voxport {

class VoiceKind;

struct VoiceFiles {
  const VoiceKind* kind = nullptr;
  std::filesystem::path text_graph;  // encoder.onnx, acoustic.onnx, or the whole voice
  std::optional<std::filesystem::path> decoder, stream_decoder;  // none with a whole voice
  std::filesystem::path config;
  std::vector<std::string> notes = {};  // what one should know of how they came about
};

// Whether the folder has any graph of an exported voice.
bool has_graphs(const std::filesystem::path& folder);

// The files of an exported folder; the config is voice.json, or config.json, as others call it.
// Fails with kUnreadable, naming what was looked for, when one is not there, and with kUsage when
// there are two voices in the folder.
VoiceFiles files_in_folder(const std::filesystem::path& folder);

// The graph of a whole voice, NAME.onnx, and its config: NAME.onnx.json or NAME.json beside it
// where `config` is empty. Fails with kUnreadable when it is not there.
VoiceFiles files_of_graph(const std::filesystem::path& graph, const std::filesystem::path& config);

}  // namespace voxport
