// SpeechRequest: what a client wants to hear, read from the JSON of each protocol.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>
#include <voxport/serve.h>

#include "serve/audio_format.h"

namespace voxport {

// The voices by their names. "default", and no name, are the first.
class VoiceList {
 public:
  // Fails with kUsage when there is none, or when two have one name.
  explicit VoiceList(std::vector<ServedVoice> voices);

  const std::vector<ServedVoice>& all() const { return voices_; }
  // Fails with a Refusal that names those there are.
  const ServedVoice& find(std::string_view name) const;

 private:
  std::vector<ServedVoice> voices_;
};

struct SpeechRequest {
  const ServedVoice* voice = nullptr;
  std::string text;
  SpeakOptions options;
  const SpeechFormat* format = nullptr;
  std::int64_t sample_rate = 0;  // the voice's own, unless another was asked for
  bool is_sse = false;           // events with audio in them, in place of audio
};

// POST /v1/audio/speech. All three fail with a Refusal that names the member and what was expected.
// Members that are not known are let be, as other servers do.
SpeechRequest read_openai_request(const nlohmann::json& json, const VoiceList& voices,
                                  const ServeOptions& limits);
// POST /synthesize of Piper's server.
SpeechRequest read_piper_request(const nlohmann::json& json, const VoiceList& voices,
                                 const ServeOptions& limits);
// What Wyoming and WebSocket have in common: {"name" or "voice", "speaker", "language"} and our own
// members, without a text.
SpeechRequest read_manner(const nlohmann::json& json, const VoiceList& voices);

// Reads "response_format", which is `otherwise` where there is none, and "sample_rate".
void read_format(const nlohmann::json& json, const char* otherwise, SpeechRequest& request);

// Fails with a Refusal: a text of so many characters.
void check_characters(std::size_t characters, const ServeOptions& limits);
// Code points of UTF-8.
std::size_t count_characters(std::string_view text);

}  // namespace voxport
