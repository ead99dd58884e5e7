// Shape: one Dim per axis, and what operators do to shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/dim.h"

namespace voxport {

using Shape = std::vector<Dim>;

// [batch_size, 192, 256*frames]
std::string shape_text(const Shape& shape);

// The number of elements.
Dim numel(const Shape& shape);

// The axis as an index, counted from the end when negative. Fails with kCorrupt when there is no
// such axis.
std::size_t axis_index(std::int64_t axis, std::size_t rank);

// numpy's rule. Two numbers that differ must include a 1, else it fails with kMismatch; a symbol
// and a number other than 1 give the number, two different symbols the larger of them.
Shape broadcast(const Shape& a, const Shape& b);

}  // namespace voxport
