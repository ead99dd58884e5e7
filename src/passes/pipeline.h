// The passes, in order: a graph becomes a smaller, faster graph that says the same.
#pragma once

#include <span>
#include <string_view>

#include "graph/graph.h"

namespace voxport {

struct Pass {
  std::string_view name;
  bool (*run)(Graph& graph);  // true when it changed something
};

// In the order in which they run.
std::span<const Pass> pipeline();

// Runs the whole pipeline until nothing changes any more. In debug builds the graph is checked
// after each pass.
void optimise(Graph& graph);

// Every pass, in order: widen_bfloat16(), optimise() and lower_opset(). Fails as lower_opset()
// does. Returns whether bfloat16 was widened.
bool prepare(Graph& graph, int opset);

}  // namespace voxport
