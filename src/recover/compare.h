// Where what a graph computes is not what was expected.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "recover/terms.h"

namespace voxport::recover {

// In words: the node of the graph at which two different terms part, what it computes there, and
// what was expected.
std::string first_difference(const Terms& terms, Term found, Term expected,
                             const std::map<Term, std::string>& made_by);

// The names of nodes on which no output depends.
std::vector<std::string> nodes_without_use(const Graph& graph);

}  // namespace voxport::recover
