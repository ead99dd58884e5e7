// Packed sequences: rows of different lengths, longest first, as PyTorch's RNNs take them. The data
// are all first steps, then all second ones, and so on; batch_sizes has the number of rows that are
// left at each step.
#pragma once

#include "lower/call.h"

namespace voxport::ops {

// What the arguments "data" and "batch_sizes" are, padded to the longest row.
PackedSequence padded_sequence(const Call& call);

// The data of a packed sequence.
Item packed_data(const PackedSequence& sequence);

// Which steps [t, b] belong to the rows, of these lengths; `steps` is t, of shape [1].
Value steps_inside(const Value& lengths, const Value& steps);

}  // namespace voxport::ops
