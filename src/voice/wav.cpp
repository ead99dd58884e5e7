// Samples as WAV has them: Microsoft and IBM, "Multimedia Programming Interface" (1991), RIFF.
#include <algorithm>
#include <cmath>

#include <voxport/speak.h>

namespace voxport {
namespace {

void append(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}

}  // namespace

std::int16_t to_pcm16(float sample) {
  const float limited = std::isnan(sample) ? 0.0F : std::clamp(sample, -1.0F, 1.0F);
  return static_cast<std::int16_t>(std::lround(limited * 32767.0F));
}

std::string to_pcm16(const std::vector<float>& samples) {
  std::string bytes;
  bytes.reserve(2 * samples.size());
  for (const float sample : samples) append(bytes, static_cast<std::uint16_t>(to_pcm16(sample)), 2);
  return bytes;
}

std::string wav_header(std::int64_t sample_rate, std::optional<std::uint64_t> samples) {
  constexpr std::uint64_t kUnknown = 0xFFFFFFFF;  // what players take for "until the end"
  constexpr std::uint64_t kAfterSize = 36;        // bytes of the header after the file's size
  const std::uint64_t data = samples ? 2 * *samples : kUnknown;
  const auto rate = static_cast<std::uint64_t>(sample_rate);
  std::string header = "RIFF";
  append(header, std::min(data + kAfterSize, kUnknown), 4);
  header += "WAVEfmt ";
  append(header, 16, 4);  // bytes of the format
  append(header, 1, 2);   // PCM
  append(header, 1, 2);   // channels
  append(header, rate, 4);
  append(header, 2 * rate, 4);  // bytes of a second
  append(header, 2, 2);         // bytes of a sample
  append(header, 16, 2);        // bits of a sample
  header += "data";
  append(header, std::min(data, kUnknown), 4);
  return header;
}

}  // namespace voxport
