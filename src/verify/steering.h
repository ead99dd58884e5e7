// Inputs whose values, and not their shapes alone, decide on sizes inside: a shape, axes, a count.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace voxport {

// The nodes that are told sizes, axes or counts by the elements of `value`, as they are or after
// arithmetic. Such a node runs with some values and not with others.
std::vector<Node> steered_by(const Value& value, const std::vector<Node>& nodes);

// Whether the elements of `value` are whole numbers that others are divided by.
bool is_divisor(const Value& value, const std::vector<Node>& nodes);

}  // namespace voxport
