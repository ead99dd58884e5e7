// Mask: which steps of a padded batch are there, in the shapes that the layers want it in.
#pragma once

#include <cstdint>
#include <string_view>

#include "graph/graph.h"

namespace voxport {

struct Mask {
  Value present;  // bool [b, t]
  Value last;     // float32 [b, t, 1], for channels last
  Value first;    // float32 [b, 1, t], for channels first
  Value scores;   // float32 [b, 1, 1, t], added to scores of attention: 0, or far below them

  // lengths i64 [b], limit i64 [1]: t
  Mask(std::string_view path, const Value& lengths, const Value& limit);
};

// Whether step i of row b lies before lengths[b]: bool [b, limit]. lengths i64 [b], limit i64 [1].
Value sequence_mask(const Value& lengths, const Value& limit);

}  // namespace voxport
