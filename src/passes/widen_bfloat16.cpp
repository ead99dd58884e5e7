#include "passes/widen_bfloat16.h"

#include <algorithm>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport {
namespace {

bool has_bfloat16(const Value& value) {
  return value && value.type().foreign.empty() && value.dtype() == DType::kBFloat16;
}

// Operators that hand elements on as they are, and that ONNX Runtime knows for every type.
bool is_kept(const Node& node) { return node.op() == "Cast" || node.op() == "Identity"; }

Value widened(const Value& value, Builder& g) {
  if (!has_bfloat16(value)) return value;
  const Tensor* constant = value.constant();
  if (!constant) return cast(value, DType::kFloat32);
  return g.constant(value.name(), computed_tensor(constant->shape, [tensor = *constant] {
                      return to_float32(tensor);
                    }));
}

// Element types and tensors of bfloat16 that an operator has as attributes.
Attributes widened(Attributes attributes) {
  for (auto& [name, attribute] : attributes) {
    if (const auto* text = std::get_if<std::string>(&attribute); text && *text == "bfloat16")
      attribute = std::string("float32");
    if (const auto* tensor = std::get_if<Tensor>(&attribute);
        tensor && tensor->dtype == DType::kBFloat16)
      attribute = tensor_of(tensor->shape, to_float32(*tensor));
  }
  return attributes;
}

void widen(const Node& node, Graph& graph) {
  Builder g(graph);
  std::vector<Value> inputs;
  for (const Value& input : node.inputs()) inputs.push_back(widened(input, g));
  const std::vector<Value> old(node.outputs().begin(), node.outputs().end());
  const std::vector<Value> wide =
      g.nodes(node.op(), std::move(inputs), widened(node.attributes()), old.size());
  for (std::size_t i = 0; i < old.size(); ++i)
    graph.replace(old[i], has_bfloat16(old[i]) ? cast(wide[i], DType::kBFloat16) : wide[i]);
  graph.remove(node);
}

}  // namespace

bool widen_bfloat16(Graph& graph) {
  bool changed = false;
  for (const Node& node : graph.nodes()) {
    for (Graph* inside : node.graphs()) changed |= widen_bfloat16(*inside);
    const bool has_any = std::ranges::any_of(node.inputs(), has_bfloat16) ||
                         std::ranges::any_of(node.outputs(), has_bfloat16);
    if (!has_any || is_kept(node) || !node.graphs().empty() || !node.domain().empty()) continue;
    widen(node, graph);
    changed = true;
  }
  return changed;
}

}  // namespace voxport
