// Where a fixed size comes from: followed from a value back to what first has it.
#pragma once

#include <string>

#include "graph/graph.h"

namespace voxport {

// The name of the node that sets the size of an axis by a number of its own, as Range(0, 12, 1) and
// a Reshape to [12, 8] do, or of the constant whose size it is. Empty where it is the size of an
// input, or cannot be followed. Requires an axis whose size is a number.
std::string maker_of_size(const Value& value, std::size_t axis);

}  // namespace voxport
