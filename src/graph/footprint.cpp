#include "graph/footprint.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

namespace voxport {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a > kMost - b ? kMost : a + b; }

// Whether the output is the input's memory, seen otherwise.
bool is_view(const Node& node) {
  constexpr std::string_view kViews[] = {"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity"};
  return node.domain().empty() && std::ranges::find(kViews, node.op()) != std::end(kViews);
}

// The memory that is held while nodes run. Views and what they look at are one.
class Memory {
 public:
  Memory(const Graph& graph, const std::vector<Node>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (is_view(nodes[i]) && nodes[i].input(0))
        owner_.emplace(nodes[i].output().name(), owner_of(nodes[i].input(0)));
      for (const Value& input : nodes[i].inputs())
        if (input) last_use_[owner_of(input)] = i;
      for (const Value& value : nodes[i].captured()) last_use_[owner_of(value)] = i;
    }
    for (const auto& [name, value] : graph.outputs()) last_use_[owner_of(value)] = nodes.size();
  }

  std::uint64_t peak(const std::vector<Node>& nodes, const BytesOf& bytes_of) const {
    std::uint64_t held = 0;
    std::uint64_t most = 0;
    std::map<std::size_t, std::uint64_t> let_go;  // after which node, how much
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!is_view(nodes[i])) {
        for (const Value& output : nodes[i].outputs()) {
          const std::uint64_t bytes = bytes_of(output);
          const auto last = last_use_.find(output.name());
          std::uint64_t& then = let_go[last == last_use_.end() ? i : last->second];
          then = plus(then, bytes);
          held = plus(held, bytes);
        }
      }
      most = std::max(most, held);
      held -= std::min(held, let_go[i]);
    }
    return most;
  }

 private:
  std::string owner_of(const Value& value) const {
    const auto found = owner_.find(value.name());
    return found == owner_.end() ? value.name() : found->second;
  }

  std::map<std::string, std::string> owner_;     // of each view
  std::map<std::string, std::size_t> last_use_;  // the node
};

}  // namespace

std::uint64_t peak_bytes(const Graph& graph, const BytesOf& bytes_of) {
  const std::vector<Node> nodes = graph.nodes();
  return Memory(graph, nodes).peak(nodes, bytes_of);
}

std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kMost / b ? kMost : a * b;
}

}  // namespace voxport
