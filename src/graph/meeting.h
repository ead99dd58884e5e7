// Meetings: the sizes that an operator requires to be equal. Where one of them is a symbol and the
// other a number, the graph runs with that number only.
#pragma once

#include <functional>
#include <vector>

#include "graph/graph.h"

namespace voxport {

// Two sizes that must be equal, or, where they broadcast, one of them 1.
struct Meeting {
  Dim a, b;
};

// All pairs of sizes that meet in a node, those that are the same expression left out. Knows the
// operators that infer() knows.
std::vector<Meeting> meetings_of(const Node& node);

// While one lives, its functions are called with every node and every constant that a Builder makes
// on this thread. The innermost one counts.
class NodeWatch {
 public:
  using SeenNode = std::function<void(const Node& node)>;
  using SeenConstant = std::function<void(const Value& constant)>;
  explicit NodeWatch(
      SeenNode node, SeenConstant constant = [](const Value&) {});
  ~NodeWatch();
  NodeWatch(const NodeWatch&) = delete;
  NodeWatch& operator=(const NodeWatch&) = delete;

  // Tells the innermost watch of this thread, if there is one.
  static void tell(const Node& node);
  static void tell(const Value& constant);

 private:
  SeenNode node_;
  SeenConstant constant_;
  NodeWatch* outer_;
};

}  // namespace voxport
