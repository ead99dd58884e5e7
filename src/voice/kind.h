// VoiceKind: what tells one kind of voice from another while it is loaded. Once it is, all kinds
// are a TextGraph, and a Decoder behind it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <voxport/speak.h>

#include "phonemes/text_config.h"
#include "voice/decoding.h"
#include "voice/text_graph.h"

namespace voxport {

// What the config of a voice tells.
struct VoiceConfig {
  VoiceInfo info;  // hop_length is 0 where it does not tell
  TextConfig text;
  std::string no_text;  // why it takes no text, where it takes none
};

class VoiceKind {
 public:
  // What the files of an exported folder are called, and with which arguments `voxport export`
  // writes all of them.
  struct Folder {
    const char* text_graph;
    const char* decoder;
    const char* stream_decoder;
    const char* arguments;
  };

  VoiceKind(const Folder& folder, const DecoderPorts& ports, double frames_of_id)
      : folder_(folder), ports_(ports), frames_of_id_(frames_of_id) {}
  virtual ~VoiceKind() = default;

  const Folder& folder() const { return folder_; }
  const DecoderPorts& ports() const { return ports_; }
  // How many frames an id lasts, about; most last fewer.
  double frames_of_id() const { return frames_of_id_; }

  // Fills in what this kind has of its own. Fails with kCorrupt when the config is broken.
  virtual void read_config(const nlohmann::json& json, VoiceConfig& config) const = 0;
  // The graph that ids go into. What one should know of it is added to the notes.
  virtual std::unique_ptr<TextGraph> open(const std::filesystem::path& path,
                                          const SessionOptions& options,
                                          std::vector<std::string>& notes) const = 0;
  // Fails with kMismatch or kUnsupported unless the decoder takes what the graph gives.
  virtual void check_pair(const Session& graph, const Session& decoder,
                          const VoiceInfo& info) const = 0;

 private:
  Folder folder_;
  DecoderPorts ports_;
  double frames_of_id_;
};

// The kinds there are.
const VoiceKind& vits_voice();
const VoiceKind& fastspeech2_voice();
std::span<const VoiceKind* const> voice_kinds();

}  // namespace voxport
