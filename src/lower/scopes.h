// Scopes: the graphs that are being made, the main one and inside it the branches and bodies of
// nodes. Nodes are made in the innermost.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "lower/item.h"

namespace voxport {

class Scopes {
 public:
  enum class Kind : std::uint8_t { kMain, kBranch, kLoopBody };

  explicit Scopes(Graph& main);

  // The innermost graph, and what it is.
  Graph& graph() { return *scopes_.back().graph; }
  Kind kind() const { return scopes_.back().kind; }
  // How many graphs deep it is; 1 for the main one.
  int depth() const { return static_cast<int>(scopes_.size()); }
  Graph& main() { return *scopes_.front().graph; }

  // Makes an empty graph the innermost one until leave(). Its nodes get names that no other graph
  // has.
  void enter(Graph& graph, Kind kind);
  // Returns the values of the graph around the innermost that it captured, one for each of its
  // captured().
  std::vector<Value> leave();

  // A value of any graph in scope as the innermost graph sees it: itself, or captured from a graph
  // around it.
  Value here(const Value& value);

  // A number as a tensor without axes, in this type.
  Value value_of(const Number& number, DType dtype);
  // The same in its own type: bool, int64, float64.
  Value value_of(const Number& number);
  // The one element of a tensor. An int that only the run determines becomes a new symbol.
  Number number_of(const Value& tensor);
  // An int that is an expression of sizes, from the int64 tensor of one element that computes it.
  Number size_of(const Value& tensor);

  // The positions where a mask is true, int64 [rank, n]. All who ask for those of one mask share a
  // node, so that what they select has one size.
  Value non_zero(const Value& mask);

  // A name for a new symbol: u0, u1, ...
  std::string new_symbol();

 private:
  struct Scope {
    Graph* graph = nullptr;
    Kind kind = Kind::kMain;
    std::map<std::pair<const Graph*, std::string>, Value> imported;
    std::vector<Value> captured;            // of the scope around it
    std::map<std::string, Value> non_zero;  // by the names of the masks
  };

  Value seen_from(std::size_t scope, const Value& value);

  std::vector<Scope> scopes_;
  int symbols_ = 0;
  int inner_graphs_ = 0;
};

}  // namespace voxport
