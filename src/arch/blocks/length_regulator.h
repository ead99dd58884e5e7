// From phonemes to frames: each phoneme is said for as many frames as it lasts.
// vits/commons.py generate_path; FastSpeech2/model/modules.py LengthRegulator.
#pragma once

#include "graph/graph.h"

namespace voxport {

struct Alignment {
  Value phoneme;  // i64 [b, frames]: which one each frame belongs to; t beyond the end of a row
  Value lengths;  // i64 [b]: frames of each row, which may be 0
  Value frames;   // i64 [1]: of the longest row, at least 1
};

// More frames than a phoneme could ever have. Without a limit, scales that make no sense would run
// over what integers hold.
constexpr double kMostFrames = 1e6;

// durations i64 [b, t], none below 0. The cost is linear in phonemes and frames: no table of one by
// the other is made. The number of frames becomes the symbol `frames`.
Alignment align(const Value& durations);

// The rows of `stats` [b, t, c] that the frames belong to: [b, frames, c]. Frames beyond the end of
// a row are 0.
Value spread(const Value& stats, const Alignment& alignment);

}  // namespace voxport
