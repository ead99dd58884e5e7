// What a graph computes, as terms.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "recover/names.h"
#include "recover/terms.h"

namespace voxport::recover {

// Sizes that differ from each other, so that no axis is taken for another.
struct RunSizes {
  std::int64_t batch_size;
  std::int64_t phonemes;
  std::int64_t frames;
};

struct Computed {
  std::vector<std::pair<std::string, Term>> outputs;
  std::map<Term, std::string> made_by;  // the name of the first node that gives the term
};

// Fails with kUnsupported for operators that no export of the network has, naming the node.
Computed computed_by(const Graph& graph, const Names& names, const RunSizes& sizes, Terms& terms);

// Fails with kUnsupported when nodes are those of quantised networks, or of other programs.
void check_operators(const Graph& graph);

// Its name, or where it has none that of what it gives.
std::string name_of_node(const Node& node);

// The inputs of a published graph; `sid` may have one element for all rows.
Term input_term(Terms& terms, const Graph& graph, std::string_view name, const RunSizes& sizes);

// Numbers that the network itself has. A file in half precision keeps them as halves, which are
// read as the number that was meant.
double number_meant_by_half(double half);

}  // namespace voxport::recover
