// Mask: which phonemes of a padded batch are there, in the shapes that the layers want it in.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace voxport::vits {

struct Mask {
  Value present;  // bool [b, t]
  Value last;     // float32, for channels last
  Value first;    // float32, for channels first
  Value scores;   // float32 [b, 1, 1, t], added to scores of attention: 0, or far below them
  bool has_rows;  // whether sequences have an axis of size 1 beside time

  // input i64 [b, t], lengths i64 [b]
  Mask(const Value& input, const Value& lengths, bool has_rows);
};

// Whether step i of row b lies before lengths[b]: bool [b, limit]. lengths i64 [b], limit i64 [1].
Value sequence_mask(const Value& lengths, const Value& limit);

}  // namespace voxport::vits
