#include <algorithm>
#include <map>
#include <string>

#include "base/text.h"
#include "graph/print.h"
#include "passes/passes.h"

namespace voxport {
namespace {

// Two runs of these differ, so two nodes of them do.
bool is_random(const Node& node) {
  return node.op().starts_with("Random") || node.op() == "Dropout";
}

// Larger tensors of attributes are not read to be compared.
constexpr std::uint64_t kReadBytes = 64;

bool is_comparable(const Attribute& attribute) {
  if (std::holds_alternative<std::shared_ptr<Graph>>(attribute)) return false;
  const auto* tensor = std::get_if<Tensor>(&attribute);
  return !tensor || (tensor->unreadable.empty() && tensor->size_in_bytes() <= kReadBytes);
}

bool is_comparable(const Node& node) {
  return std::ranges::all_of(node.attributes(),
                             [](const auto& entry) { return is_comparable(entry.second); });
}

std::string text_of(const Attribute& attribute) {
  const auto* tensor = std::get_if<Tensor>(&attribute);
  return tensor ? cat(print(attribute), contiguous(*tensor).text()) : print(attribute);
}

// What the node computes, as text: operator, inputs, attributes, number of outputs.
std::string expression(const Node& node) {
  std::string text = cat(node.domain(), ":", node.op(), "/", node.outputs().size(), "(");
  for (const Value& input : node.inputs()) text += cat(input ? input.name() : "_", ",");
  text += ")";
  for (const auto& [key, attribute] : node.attributes())
    text += cat(" ", key, "=", text_of(attribute));
  return text;
}

// What only the run can tell has a new symbol at each node, as a size or as an element that becomes
// one; all that follows is shaped by it.
bool has_same_sizes(const Node& a, const Node& b) {
  for (std::size_t i = 0; i < a.outputs().size(); ++i) {
    const Type& one = a.outputs()[i].type();
    const Type& other = b.outputs()[i].type();
    if (one.shape != other.shape || one.elements != other.elements) return false;
  }
  return true;
}

}  // namespace

// Two nodes that compute the same from the same -> one.
bool share_expressions(Graph& graph) {
  std::map<std::string, Node> first;
  bool changed = false;
  for (const Node& node : graph.nodes()) {
    if (is_random(node) || !is_comparable(node)) continue;
    const auto [known, is_new] = first.emplace(expression(node), node);
    if (is_new || !has_same_sizes(node, known->second)) continue;
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
      if (graph.count_uses(node.outputs()[i]) == 0) continue;
      graph.replace(node.outputs()[i], known->second.outputs()[i]);
      changed = true;
    }
  }
  return changed;
}

}  // namespace voxport
