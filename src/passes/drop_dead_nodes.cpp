#include <algorithm>

#include "passes/passes.h"

namespace voxport {

// A node of which no output is used goes, and then perhaps those that fed it.
bool drop_dead_nodes(Graph& graph) {
  bool changed = false;
  std::vector<Node> nodes = graph.nodes();
  std::reverse(nodes.begin(), nodes.end());  // users before what they use
  for (const Node& node : nodes) {
    bool is_used = false;
    for (const Value& output : node.outputs()) is_used |= graph.count_uses(output) > 0;
    if (is_used) continue;
    graph.remove(node);
    changed = true;
  }
  return changed;
}

}  // namespace voxport
