#include <optional>

#include <voxport/speak.h>

#include "serve/audio_format.h"

namespace voxport {
namespace {

// 16-bit samples, after a header or without one.
class PcmEncoder : public AudioEncoder {
 public:
  explicit PcmEncoder(std::string header) : header_(std::move(header)) {}

  std::string encode(const std::vector<float>& samples) override {
    return std::exchange(header_, {}) + to_pcm16(samples);
  }
  std::string finish() override { return std::exchange(header_, {}); }

 private:
  std::string header_;
};

}  // namespace

std::unique_ptr<AudioEncoder> pcm_encoder(std::int64_t /*sample_rate*/) {
  return std::make_unique<PcmEncoder>("");
}

// Its header leaves the length open, for it is sent before the length is known.
std::unique_ptr<AudioEncoder> wav_encoder(std::int64_t sample_rate) {
  return std::make_unique<PcmEncoder>(wav_header(sample_rate, std::nullopt));
}

}  // namespace voxport
