// Assumptions: what infer() takes for granted of sizes that it does not know.
#pragma once

#include "graph/graph.h"

namespace voxport {

// Whether the type of the node's output holds only where an axis is long enough: a Slice that cuts
// something off, of an axis whose least size does not show that there is as much. Where it is
// shorter, ONNX Runtime cuts off what there is.
bool assumes_sizes(const Node& node);
// Whether any of its nodes does.
bool assumes_sizes(const Graph& graph);

}  // namespace voxport
