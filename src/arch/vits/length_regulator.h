// From phonemes to frames: each phoneme is said for as many frames as it lasts.
// vits/models.py SynthesizerTrn.infer, vits/commons.py generate_path.
#pragma once

#include "graph/graph.h"

namespace voxport::vits {

struct Alignment {
  Value phoneme;    // i64 [b, frames]: which one each frame belongs to; t beyond the end of a row
  Value y_lengths;  // i64 [b]: frames of each row, at least 1
  Value frames;     // i64 [1]: of the longest row
};

// durations i64 [b, t], none below 0. The cost is linear in phonemes and frames: no table of one by
// the other is made. The number of frames becomes the symbol `frames`.
Alignment align(const Value& durations);

// The rows of `stats` [b, t, c] that the frames belong to: [b, frames, c]. Frames beyond the end of
// a row are 0.
Value spread(const Value& stats, const Alignment& alignment);

}  // namespace voxport::vits
