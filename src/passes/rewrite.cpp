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

bool keeps_sizes(const Value& value, const Value& better) {
  const Type& had = value.type();
  const Type& has = better.type();
  return (!had.shape || had.shape == has.shape) && (!had.elements || had.elements == has.elements);
}

std::optional<std::vector<std::int64_t>> numbers_of(const Value& value) {
  if (!value || !value.type().elements) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Dim& element : *value.type().elements) {
    const auto constant = element.constant();
    if (!constant) return std::nullopt;
    numbers.push_back(*constant);
  }
  return numbers;
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
