// check(): the promises that every stage may rely on. Run after each of them in debug builds.
#pragma once

#include "graph/graph.h"

namespace voxport {

// Fails with kCorrupt, naming the node, unless: names of values are unique; every node comes after
// those it depends on; every type is what infer() finds, where it knows the operator; what graphs
// inside of nodes capture is given; and there is at least one output.
void check(const Graph& graph);

}  // namespace voxport
