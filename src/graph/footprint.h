// Footprint: how much memory a graph's values take while it runs.
#pragma once

#include <cstdint>
#include <functional>

#include "graph/graph.h"

namespace voxport {

// The most bytes that values hold at once when the nodes run in order, one after the other, and a
// value is let go after its last use. `bytes_of` tells how many a value has. Reshape and its like
// are views of their input. Inputs, constants and graphs inside of nodes do not count, nor does
// what an operator needs for itself: it is about what a run takes on top of a loaded model.
// Saturates at the largest number.
using BytesOf = std::function<std::uint64_t(const Value& value)>;
std::uint64_t peak_bytes(const Graph& graph, const BytesOf& bytes_of);

// a * b, or the largest number where that is more.
std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b);

}  // namespace voxport
