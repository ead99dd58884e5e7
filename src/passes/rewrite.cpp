#include "passes/rewrite.h"

namespace voxport {

bool rewrite_each(Graph& graph, std::string_view op,
                  const std::function<std::optional<Value>(const Node&)>& rewrite) {
  bool changed = false;
  for (const Node& node : graph.nodes()) {
    if ((!op.empty() && node.op() != op) || node.outputs().size() != 1) continue;
    if (graph.count_uses(node.output()) == 0) continue;
    const std::optional<Value> better = rewrite(node);
    if (!better || *better == node.output()) continue;
    graph.replace(node.output(), *better);
    changed = true;
  }
  return changed;
}

std::optional<Node> producer(Value value, std::string_view op) {
  if (!value) return std::nullopt;
  const std::optional<Node> node = value.producer();
  return node && node->op() == op && node->domain().empty() ? node : std::nullopt;
}

std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t otherwise) {
  const Attribute* attribute = node.find(name);
  return attribute ? std::get<std::int64_t>(*attribute) : otherwise;
}

double number_of(const Node& node, std::string_view name, double otherwise) {
  const Attribute* attribute = node.find(name);
  return attribute ? std::get<double>(*attribute) : otherwise;
}

std::string text_of(const Node& node, std::string_view name, std::string_view otherwise) {
  const Attribute* attribute = node.find(name);
  return attribute ? std::get<std::string>(*attribute) : std::string(otherwise);
}

}  // namespace voxport
