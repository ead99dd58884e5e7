// Mask: which steps of a padded batch are there, in the shapes that the layers want it in.
#pragma once

#include <cstdint>
#include <string_view>

#include "graph/graph.h"

namespace voxport {

struct Mask {
  Value present;  // bool [b, t]
  Value last;     // float32, for channels last
  Value first;    // float32, for channels first
  Value scores;   // float32 [b, 1, 1, t], added to scores of attention: 0, or far below them
  bool has_rows;  // whether sequences have an axis of size 1 beside time

  // lengths i64 [b], limit i64 [1]: t
  Mask(std::string_view path, const Value& lengths, const Value& limit, bool has_rows);
};

// Whether step i of row b lies before lengths[b]: bool [b, limit]. lengths i64 [b], limit i64 [1].
Value sequence_mask(const Value& lengths, const Value& limit);

}  // namespace voxport
