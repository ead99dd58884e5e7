// Where a fixed size comes from: followed from a value back to the node that first has it.
#pragma once

#include <optional>

#include "graph/graph.h"

namespace voxport {

// The node that gives an axis of a value its size by a number of its own, as Range(0, 12, 1) and a
// Reshape to [12, 8] do. Nothing where the size is that of a constant or an input, or where it is
// not clear. Asks for an axis whose size is a number.
std::optional<Node> node_that_fixes(const Value& value, std::size_t axis);

}  // namespace voxport
