// Positions as sines and cosines of many lengths. Vaswani et al., "Attention Is All You Need"
// (2017), section 3.5.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace voxport {

// The encoding of positions `start` to `end` - 1, for channels 2i and 2i + 1 the sine and cosine of
// position / 10000^(2i / channels): float32 [end - start, channels]. Both are int64 [1]. Computed
// in double: in float32 the angles of later positions would be off by more than the network's own
// rounding.
Value sinusoid_encoding(const Value& start, const Value& end, std::int64_t channels);

}  // namespace voxport
