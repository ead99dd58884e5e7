// SpeechFormat: how audio is written for a client. One row a format; those of libraries that are
// not there refuse in words.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace voxport {

// Writes the audio of one text. For one thread at a time.
class AudioEncoder {
 public:
  virtual ~AudioEncoder() = default;
  // The bytes that these samples add; may be none yet. The first ones start with a header, if the
  // format has one.
  virtual std::string encode(const std::vector<float>& samples) = 0;
  // The bytes after all samples.
  virtual std::string finish() = 0;
};

struct SpeechFormat {
  const char* name;
  const char* content_type;
  // Fails with a Refusal when the library is not there or does not take that sample rate.
  std::unique_ptr<AudioEncoder> (*encoder)(std::int64_t sample_rate);
};

// All that there are, whether or not their libraries are.
std::span<const SpeechFormat> audio_formats();
// Fails with a Refusal that names those there are.
const SpeechFormat& audio_format(std::string_view name);

// The functions of the table, each in its file in formats/.
std::unique_ptr<AudioEncoder> wav_encoder(std::int64_t sample_rate);
std::unique_ptr<AudioEncoder> pcm_encoder(std::int64_t sample_rate);
std::unique_ptr<AudioEncoder> mp3_encoder(std::int64_t sample_rate);
std::unique_ptr<AudioEncoder> flac_encoder(std::int64_t sample_rate);
std::unique_ptr<AudioEncoder> opus_encoder(std::int64_t sample_rate);

}  // namespace voxport
