#include "onnx/newer_opset.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"

namespace voxport {
namespace {

onnx::AttributeProto* find_attribute(onnx::NodeProto& node, std::string_view name) {
  for (onnx::AttributeProto& attribute : *node.mutable_attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

void drop_attribute(onnx::NodeProto& node, std::string_view name) {
  auto& attributes = *node.mutable_attribute();
  for (int i = 0; i < attributes.size(); ++i)
    if (attributes[i].name() == name) return attributes.DeleteSubrange(i, 1);
}

// A tensor of the ints that a node had in an attribute.
onnx::TensorProto initializer_of(const onnx::AttributeProto& ints, const onnx::NodeProto& user) {
  onnx::TensorProto tensor;
  tensor.set_name(cat(user.output(0), "/", ints.name()));
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(ints.ints_size());
  tensor.set_raw_data(ints.ints().data(),
                      sizeof(std::int64_t) * static_cast<std::size_t>(ints.ints_size()));
  return tensor;
}

// What changes a node of the graph, which may need more initializers then.
using Change = void (*)(onnx::NodeProto& node, onnx::GraphProto& graph);

// ReduceMax(x) axes=[1] -> ReduceMax(x, axes)
void move_axes(onnx::NodeProto& node, onnx::GraphProto& graph) {
  const onnx::AttributeProto* axes = find_attribute(node, "axes");
  if (!axes) return;
  *graph.add_initializer() = initializer_of(*axes, node);
  node.add_input(graph.initializer().rbegin()->name());
  drop_attribute(node, "axes");
}

// Split(x) -> Split(x) num_outputs=2
void count_outputs(onnx::NodeProto& node, onnx::GraphProto&) {
  if (node.input_size() > 1 || find_attribute(node, "num_outputs")) return;
  onnx::AttributeProto& count = *node.add_attribute();
  count.set_name("num_outputs");
  count.set_type(onnx::AttributeProto::INT);
  count.set_i(node.output_size());
}

// GridSample(x, grid) mode="bilinear" -> mode="linear"
void rename_modes(onnx::NodeProto& node, onnx::GraphProto&) {
  onnx::AttributeProto* mode = find_attribute(node, "mode");
  if (mode && mode->s() == "bilinear") mode->set_s("linear");
  if (mode && mode->s() == "bicubic") mode->set_s("cubic");
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
void for_each_graph_inside(onnx::NodeProto& node, const Visit& visit) {
  for (onnx::AttributeProto& attribute : *node.mutable_attribute())
    if (attribute.has_g()) visit(*attribute.mutable_g());
}

void say_node(onnx::NodeProto& node, int opset, onnx::GraphProto& graph) {
  for_each_graph_inside(node, [&](onnx::GraphProto& inside) { say_in_newer_opset(inside, opset); });
  if (!node.domain().empty() || node.output().empty()) return;  // a reader's node may have none
  const auto* row = std::ranges::find(kChanges, node.op_type(), &OpsetChange::op);
  if (row != std::end(kChanges) && opset >= row->since) row->change(node, graph);
}

}  // namespace

void say_in_newer_opset(onnx::GraphProto& graph, int opset) {
  for (onnx::NodeProto& node : *graph.mutable_node()) say_node(node, opset, graph);
}

void stand_in_for_newer(onnx::GraphProto& graph) {
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    for_each_graph_inside(node, stand_in_for_newer);
    const auto* row = std::ranges::find(kStandIns, node.op_type(), &StandIn::op);
    if (!node.domain().empty() || row == std::end(kStandIns)) continue;
    node.set_op_type(std::string(row->older));
    node.clear_attribute();
  }
}

}  // namespace voxport
