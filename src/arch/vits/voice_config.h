// The file that goes with a voice: Piper's NAME.onnx.json. Other programs read from it how text
// becomes ids, who the speakers are, and how fast the samples go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "arch/vits/config.h"

namespace voxport::vits {

struct VoiceConfig {
  std::string text;                // the JSON, as it is written
  std::vector<std::string> notes;  // what was filled in that one might not expect
};

// The config `given` (the text of a JSON file, or nothing), completed from the checkpoint's. What
// both know must agree; ids must lie within the symbols; speakers must be complete. Fails with
// kUnsupported, telling all that is wrong at once, and with kCorrupt when the text is no JSON.
// `is_streaming` marks a voice of two graphs, encoder and decoder.
VoiceConfig complete_voice_config(const std::optional<std::string>& given, const Config& config,
                                  bool is_streaming);

// The sample rate that such a config names; 0 when it names none.
std::int64_t sample_rate_of(const std::optional<std::string>& given);

}  // namespace voxport::vits
