#include "serve/audio_format.h"

#include <algorithm>

#include "base/join.h"
#include "serve/refusal.h"

namespace voxport {
namespace {

// The first is what a request gets that does not say, as OpenAI has it.
constexpr SpeechFormat kFormats[] = {
    {"mp3", "audio/mpeg", mp3_encoder},  {"wav", "audio/wav", wav_encoder},
    {"pcm", "audio/pcm", pcm_encoder},   {"flac", "audio/flac", flac_encoder},
    {"opus", "audio/ogg", opus_encoder},
};

}  // namespace

std::span<const SpeechFormat> audio_formats() { return kFormats; }

const SpeechFormat& audio_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &SpeechFormat::name);
  if (found == std::end(kFormats))
    refuse(400, "unsupported_format", "there is no response format ", in_quotes(name),
           "; expected one of ", join(kFormats, ", ", &SpeechFormat::name));
  return *found;
}

}  // namespace voxport
