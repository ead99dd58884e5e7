#include <array>

#include "graph/builder.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

bool is_recurrent(const Node& node) {
  return node.domain().empty() && (node.op() == "GRU" || node.op() == "LSTM" || node.op() == "RNN");
}

// Whether all elements are 0: a ConstantOfShape, or a part of one.
bool is_zero(const Value& value) {
  if (const auto slice = producer(value, "Slice")) return is_zero(slice->input(0));
  const auto fill = producer(value, "ConstantOfShape");
  if (!fill) return false;
  const Attribute* element = fill->find("value");
  bool is_zero = true;
  if (element)
    for_each_element(std::get<Tensor>(*element),
                     [&](const std::byte* at) { is_zero = element_value(value.dtype(), at) == 0; });
  return is_zero;
}

// The initial states are these inputs.
constexpr std::array<std::size_t, 2> kStates = {5, 6};

bool drop_zero_states_of(const Node& node, Graph& graph) {
  std::vector<Value> inputs(node.inputs().begin(), node.inputs().end());
  bool changed = false;
  for (const std::size_t i : kStates) {
    if (i >= inputs.size() || !inputs[i] || !is_zero(inputs[i])) continue;
    inputs[i] = Value();
    changed = true;
  }
  if (!changed) return false;
  const std::vector<Value> old(node.outputs().begin(), node.outputs().end());
  const std::vector<Value> outputs =
      Builder(graph).nodes(node.op(), std::move(inputs), node.attributes(), old.size());
  for (std::size_t i = 0; i < old.size(); ++i) graph.replace(old[i], outputs[i]);
  return true;
}

}  // namespace

// LSTM(x, w, r, bias, _, zeros, zeros) -> LSTM(x, w, r, bias), and so for GRU and RNN: states
// that are not given are 0.
bool drop_zero_states(Graph& graph) {
  bool changed = false;
  for (const Node& node : graph.nodes())
    if (is_recurrent(node)) changed |= drop_zero_states_of(node, graph);
  return changed;
}

}  // namespace voxport
