#include "passes/for_onnxruntime/uses.h"

namespace voxport {

Uses::Uses(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    for (const Value& input : node.inputs())
      if (input) users_[input.name()].push_back(node);
    for (const Value& value : node.captured()) users_[value.name()].push_back(node);
  }
  for (const auto& [name, value] : graph.outputs()) outputs_.insert(value.name());
}

const std::vector<Node>& Uses::of(const Value& value) const {
  static const std::vector<Node> kNone;
  const auto found = users_.find(value.name());
  return found == users_.end() ? kNone : found->second;
}

std::optional<Node> Uses::only_user(const Value& value) const {
  const std::vector<Node>& users = of(value);
  return users.size() == 1 && !is_output(value) ? std::optional(users[0]) : std::nullopt;
}

}  // namespace voxport
