#include "onnx/probe_copy.h"

#include <algorithm>
#include <cstring>

#include "base/parse_number.h"
#include "base/text.h"
#include "onnx/proto.h"

namespace voxport {
namespace {

// A loop whose body has no nodes could not be ended while it runs: it is given one, that hands on
// the condition.
void give_a_node(onnx::GraphProto& body) {
  onnx::ValueInfoProto& condition = *body.mutable_output(0);
  onnx::NodeProto& node = *body.add_node();
  node.set_op_type("Identity");
  node.add_input(condition.name());
  node.add_output(condition.name() + "/again");
  condition.set_name(node.output(0));
}

void name_node(onnx::NodeProto& node, std::string name, ProbeCopy& copy) {
  const auto place = place_of(name);
  if (place && !place->inner.empty()) copy.inner_nodes[name] = {node.op_type(), node.name()};
  node.set_name(std::move(name));
}

void name_nodes(onnx::GraphProto& graph, const std::string& prefix, ProbeCopy& copy) {
  for (int i = 0; i < graph.node_size(); ++i) {
    onnx::NodeProto& node = *graph.mutable_node(i);
    const std::string name = cat(prefix, i);
    name_node(node, name, copy);
    std::size_t graphs = 0;
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (!attribute.has_g()) continue;
      onnx::GraphProto& inner = *attribute.mutable_g();
      if (node.op_type() == "Loop" && inner.node_size() == 0 && inner.output_size() > 0)
        give_a_node(inner);
      name_nodes(inner, inner_prefix(name, graphs++), copy);
    }
  }
}

// The place of the only call of the function among the nodes; nothing when there are more, or none.
std::optional<int> only_call(const onnx::GraphProto& graph, const onnx::FunctionProto& function) {
  std::optional<int> found;
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    if (node.op_type() != function.name() || node.domain() != function.domain()) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

// As name_nodes(), for the bodies of functions.
void name_function_nodes(onnx::ModelProto& model, ProbeCopy& copy) {
  for (onnx::FunctionProto& function : *model.mutable_functions()) {
    const auto place = only_call(model.graph(), function);
    for (int i = 0; place && i < function.node_size(); ++i)
      name_node(*function.mutable_node(i), cat("n", *place, ".", i), copy);
  }
}

void add_numbers(const onnx::TensorProto& tensor, std::vector<std::int64_t>& numbers) {
  numbers.insert(numbers.end(), tensor.dims().begin(), tensor.dims().end());
  if (tensor.data_type() != onnx::TensorProto::INT64) return;
  numbers.insert(numbers.end(), tensor.int64_data().begin(), tensor.int64_data().end());
  const std::string& raw = tensor.raw_data();
  constexpr std::size_t kMaxList = 16;
  for (std::size_t i = 0; i < std::min(raw.size() / sizeof(std::int64_t), kMaxList); ++i) {
    std::int64_t number = 0;
    std::memcpy(&number, raw.data() + i * sizeof number, sizeof number);
    numbers.push_back(number);
  }
}

std::vector<std::int64_t> numbers_in_functions(const onnx::ModelProto& model) {
  std::vector<std::int64_t> numbers;
  for (const onnx::FunctionProto& function : model.functions())
    for (const onnx::NodeProto& node : function.node())
      for (const onnx::AttributeProto& attribute : node.attribute()) {
        if (attribute.has_t()) add_numbers(attribute.t(), numbers);
        numbers.insert(numbers.end(), attribute.ints().begin(), attribute.ints().end());
      }
  return numbers;
}

void forget_sizes(onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return;
  for (auto& dim : *type.mutable_tensor_type()->mutable_shape()->mutable_dim()) dim.Clear();
}

// What is declared of all but the inputs, and inside of nodes of these as well.
void forget_declared(onnx::GraphProto& graph, bool is_inner) {
  graph.clear_value_info();
  for (onnx::ValueInfoProto& output : *graph.mutable_output()) forget_sizes(*output.mutable_type());
  if (is_inner)
    for (onnx::ValueInfoProto& input : *graph.mutable_input()) forget_sizes(*input.mutable_type());
  for (onnx::NodeProto& node : *graph.mutable_node())
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) forget_declared(*attribute.mutable_g(), true);
}

void free_axes(onnx::ValueInfoProto& input,
               const std::set<std::pair<std::string, std::size_t>>& freed) {
  auto& dims = *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim();
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dims.size()); ++axis)
    if (freed.contains({input.name(), axis})) dims[static_cast<int>(axis)].Clear();
}

}  // namespace

ProbeCopy probe_copy(Bytes model, const std::set<std::pair<std::string, std::size_t>>& freed) {
  onnx::ModelProto proto = parse_model(model);
  onnx::GraphProto& graph = *proto.mutable_graph();
  ProbeCopy copy;
  for (const onnx::NodeProto& node : graph.node()) copy.node_names.push_back(node.name());
  copy.function_numbers = numbers_in_functions(proto);
  name_nodes(graph, "n", copy);
  name_function_nodes(proto, copy);
  if (!freed.empty()) forget_declared(graph, false);  // it no longer holds
  for (onnx::ValueInfoProto& input : *graph.mutable_input())
    if (input.type().has_tensor_type() && input.type().tensor_type().has_shape())
      free_axes(input, freed);
  copy.bytes = proto.SerializeAsString();
  return copy;
}

std::string inner_prefix(const std::string& name, std::size_t graph) {
  return cat(name, ".", graph == 0 ? "" : cat("g", graph, "-"));
}

std::optional<NodePlace> place_of(std::string_view name) {
  if (!name.starts_with('n')) return std::nullopt;
  std::string_view rest = name.substr(1);
  const auto index = take_number<std::size_t>(rest);
  if (!index || (!rest.empty() && rest[0] != '.')) return std::nullopt;
  return NodePlace{*index, std::string(rest.empty() ? rest : rest.substr(1))};
}

}  // namespace voxport
