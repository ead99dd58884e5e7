// Resampler: audio at another sample rate, by a sinc that is windowed (Kaiser, 80 dB) over 32 zero
// crossings to each side and cuts off below the lower of both rates' halves.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "serve/audio_format.h"

namespace voxport {

class Resampler {
 public:
  // Fails with a Refusal when the rates have so little in common that there is no table for them.
  Resampler(std::int64_t from, std::int64_t to);

  // The samples that are certain once these have come; the result does not depend on how the
  // samples are cut into pieces.
  std::vector<float> push(const std::vector<float>& samples);
  // The rest. All together, as long as what came, rounded up.
  std::vector<float> finish();

 private:
  std::vector<float> take();

  std::int64_t up_, down_;    // `up_` samples out for `down_` samples in
  std::int64_t reach_;        // samples to each side that one depends on
  std::vector<float> table_;  // [up_, 2 * reach_]
  std::vector<float> in_;     // from sample `first_` on
  std::int64_t first_;
  std::int64_t came_ = 0, given_ = 0;
};

// Writes audio of the rate `from` at the rate `to`.
std::unique_ptr<AudioEncoder> resampling_encoder(const SpeechFormat& format, std::int64_t from,
                                                 std::int64_t to);

}  // namespace voxport
