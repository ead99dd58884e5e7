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

}  // namespace voxport
