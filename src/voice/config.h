// The config of a voice: voice.json, or what Piper calls NAME.onnx.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "voice/kind.h"

namespace voxport {

// Fails with kUnreadable or kCorrupt, the latter also for more than 16 MiB or 64 levels of JSON.
VoiceConfig read_voice_config(const std::filesystem::path& path, const VoiceKind& kind);

// Reads how text becomes ids, and notes what the voice takes; `no_text` is why it takes neither
// text nor phonemes where there is no phoneme_id_map. Fails as read_text_config() does.
void take_text_config(const nlohmann::json& json, std::string no_text, VoiceConfig& config);

// A number at that place, or what is taken without it. Fails with kCorrupt for what is none, and
// where a whole one is expected, for what is not whole.
double number_at(const nlohmann::json& json, const char* place, double otherwise);
std::int64_t whole_number_at(const nlohmann::json& json, const char* place, std::int64_t otherwise);

// The scales that a voice may be spoken with, whoever asks for them.
struct ScaleRange {
  double low, high;
};
constexpr ScaleRange kLengthScales{0.01, 100};
// Durations are the exponential of their noise: at 4 a phoneme lasts some 70 frames on average
// instead of two, at 10 a short sentence takes 14 GB.
constexpr ScaleRange kDurationNoises{0, 4};
constexpr ScaleRange kScales{0, 100};  // all others

// A number within the range, else as number_at().
double scale_at(const nlohmann::json& json, const char* place, double otherwise, ScaleRange range);

}  // namespace voxport
