// How many of a machine's cores a graph has work for.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace voxport {

// 1, 2, 4 or 8: twice as many threads would make a run hardly faster, at the sizes that the graph
// is expected to be run at. ONNX Runtime shares a convolution out by rows and by blocks of 64
// channels; where there are fewer of those than threads, the others only cost time. 0 for a graph
// without convolutions of rows, of which nothing is known.
std::int64_t useful_threads(const Graph& graph);

}  // namespace voxport
