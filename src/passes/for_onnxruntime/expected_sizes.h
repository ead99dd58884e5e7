// The sizes that a graph is expected to be run at: one sequence of some length, or, where it has
// flags that say which of several pieces it is given, a piece in the middle.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "graph/graph.h"

namespace voxport {

class ExpectedSizes {
 public:
  explicit ExpectedSizes(const Graph& graph);

  bool are_of_pieces() const { return are_of_pieces_; }
  // Of an axis of the input.
  std::int64_t of_input() const;
  // Of any axis; 0 where it cannot be told.
  std::int64_t of(const Dim& dim) const;
  // The multiplications of a Conv or ConvTranspose; 0 for every other node, and where the sizes of
  // its weight are not known.
  double work_of(const Node& node) const;

 private:
  bool are_of_pieces_;
  std::set<std::string> flags_;  // symbols that are 0 in the middle
};

}  // namespace voxport
