#include "onnx/newer_opset.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"

namespace voxport {
namespace {

AttributeProto* find_attribute(NodeProto& node, std::string_view name) {
  for (AttributeProto& attribute : node.attribute)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

void drop_attribute(NodeProto& node, std::string_view name) {
  const auto found = std::ranges::find(node.attribute, name, &AttributeProto::name);
  if (found != node.attribute.end()) node.attribute.erase(found);
}

// A tensor of the ints that a node had in an attribute.
TensorProto initializer_of(const AttributeProto& ints, const NodeProto& user) {
  TensorProto tensor;
  tensor.name = cat(user.output[0], "/", ints.name);
  tensor.data_type = TensorProto::kInt64;
  tensor.dims.push_back(static_cast<std::int64_t>(ints.ints.size()));
  tensor.raw_data.assign(reinterpret_cast<const char*>(ints.ints.data()),
                         sizeof(std::int64_t) * ints.ints.size());
  return tensor;
}

// What changes a node of the graph, which may need more initializers then.
using Change = void (*)(NodeProto& node, GraphProto& graph);

// ReduceMax(x) axes=[1] -> ReduceMax(x, axes)
void move_axes(NodeProto& node, GraphProto& graph) {
  const AttributeProto* axes = find_attribute(node, "axes");
  if (!axes) return;
  graph.initializer.push_back(initializer_of(*axes, node));
  node.input.push_back(graph.initializer.back().name);
  drop_attribute(node, "axes");
}

// Split(x) -> Split(x) num_outputs=2
void count_outputs(NodeProto& node, GraphProto&) {
  if (node.input.size() > 1 || find_attribute(node, "num_outputs")) return;
  AttributeProto& count = node.attribute.emplace_back();
  count.name = "num_outputs";
  count.type = AttributeProto::kInt;
  count.i = static_cast<std::int64_t>(node.output.size());
}

// GridSample(x, grid) mode="bilinear" -> mode="linear"
void rename_modes(NodeProto& node, GraphProto&) {
  AttributeProto* mode = find_attribute(node, "mode");
  if (mode && mode->s == "bilinear") mode->s = "linear";
  if (mode && mode->s == "bicubic") mode->s = "cubic";
}

struct OpsetChange {
  std::string_view op;
  int since;  // the opset of the change
  Change change;
};

// By name.
constexpr OpsetChange kChanges[] = {
    {"GridSample", 20, rename_modes},   {"ReduceL1", 18, move_axes},
    {"ReduceL2", 18, move_axes},        {"ReduceLogSumExp", 18, move_axes},
    {"ReduceMax", 18, move_axes},       {"ReduceMean", 18, move_axes},
    {"ReduceMin", 18, move_axes},       {"ReduceProd", 18, move_axes},
    {"ReduceSumSquare", 18, move_axes}, {"Split", 18, count_outputs},
};

struct StandIn {
  std::string_view op, older;
};

// By name.
constexpr StandIn kStandIns[] = {
    {"BitwiseAnd", "Mod"},
    {"BitwiseOr", "Mod"},
    {"BitwiseXor", "Mod"},
    {"Gelu", "Identity"},
};

template <class Visit>
void for_each_graph_inside(NodeProto& node, const Visit& visit) {
  for (AttributeProto& attribute : node.attribute)
    if (attribute.g) visit(*attribute.g);
}

void say_node(NodeProto& node, int opset, GraphProto& graph) {
  for_each_graph_inside(node, [&](GraphProto& inside) { say_in_newer_opset(inside, opset); });
  if (!node.domain.empty() || node.output.empty()) return;  // a reader's node may have none
  const auto* row = std::ranges::find(kChanges, node.op_type, &OpsetChange::op);
  if (row != std::end(kChanges) && opset >= row->since) row->change(node, graph);
}

}  // namespace

void say_in_newer_opset(GraphProto& graph, int opset) {
  for (NodeProto& node : graph.node) say_node(node, opset, graph);
}

void stand_in_for_newer(GraphProto& graph) {
  for (NodeProto& node : graph.node) {
    for_each_graph_inside(node, stand_in_for_newer);
    const auto* row = std::ranges::find(kStandIns, node.op_type, &StandIn::op);
    if (!node.domain.empty() || row == std::end(kStandIns)) continue;
    node.op_type = std::string(row->older);
    node.attribute.clear();
  }
}

}  // namespace voxport
