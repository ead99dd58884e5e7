// Where sequences get rows or lose them at no cost: nodes that make the axis on their way, or take
// it. For convolve_rows().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace voxport {

// The axis before which the node of a value [.., .., ..] could make another one of size 1: a
// Reshape before the axis that it computes, a Squeeze that took it off.
std::optional<std::int64_t> axis_that_can_be_made(const Value& value);
// Whether the value is a fill of a computed shape, to which the axis can be added anywhere.
bool is_fill(const Value& value);
// The value with an axis of size 1 at that place: made by its node where that can, else by an
// Unsqueeze.
Value with_axis(const Value& value, std::int64_t place);

// Whether a node takes an input that has another axis there as well as without: a Reshape whose
// sizes are found all the same, an Unsqueeze that would make the axis, a Squeeze, which takes it
// off with its own.
bool takes_axis(const Node& node, std::int64_t axis);
// What the node makes of `row`, its input with that axis. Asks for takes_axis().
Value taken(const Node& node, const Value& row, std::int64_t axis);

// The shape with an axis of size 1 at that place.
std::vector<std::int64_t> with_one(const std::vector<std::int64_t>& shape, std::int64_t place);

}  // namespace voxport
