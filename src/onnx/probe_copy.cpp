#include "onnx/probe_copy.h"

#include <algorithm>
#include <cstring>

#include "base/parse_number.h"
#include "base/text.h"
#include "onnx/messages.h"

namespace voxport {
namespace {

// A loop whose body has no nodes could not be ended while it runs: it is given one, that hands on
// the condition.
void give_a_node(GraphProto& body) {
  ValueInfoProto& condition = body.output[0];
  NodeProto& node = body.node.emplace_back();
  node.op_type = "Identity";
  node.input.push_back(condition.name);
  node.output.push_back(condition.name + "/again");
  condition.name = node.output[0];
}

void name_node(NodeProto& node, std::string name, ProbeCopy& copy) {
  const auto place = place_of(name);
  if (place && !place->inner.empty()) copy.inner_nodes[name] = {node.op_type, node.name};
  node.name = std::move(name);
}

void name_nodes(GraphProto& graph, const std::string& prefix, ProbeCopy& copy) {
  for (std::size_t i = 0; i < graph.node.size(); ++i) {
    NodeProto& node = graph.node[i];
    const std::string name = cat(prefix, i);
    name_node(node, name, copy);
    std::size_t graphs = 0;
    for (AttributeProto& attribute : node.attribute) {
      if (!attribute.g) continue;
      GraphProto& inner = *attribute.g;
      if (node.op_type == "Loop" && inner.node.empty() && !inner.output.empty()) give_a_node(inner);
      name_nodes(inner, inner_prefix(name, graphs++), copy);
    }
  }
}

// The place of the only call of the function among the nodes; nothing when there are more, or none.
std::optional<std::size_t> only_call(const GraphProto& graph, const FunctionProto& function) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < graph.node.size(); ++i) {
    const NodeProto& node = graph.node[i];
    if (node.op_type != function.name || node.domain != function.domain) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

// As name_nodes(), for the bodies of functions.
void name_function_nodes(ModelProto& model, ProbeCopy& copy) {
  for (FunctionProto& function : model.functions) {
    const auto place = only_call(*model.graph, function);
    for (std::size_t i = 0; place && i < function.node.size(); ++i)
      name_node(function.node[i], cat("n", *place, ".", i), copy);
  }
}

void add_numbers(const TensorProto& tensor, std::vector<std::int64_t>& numbers) {
  numbers.insert(numbers.end(), tensor.dims.begin(), tensor.dims.end());
  if (tensor.data_type != TensorProto::kInt64) return;
  numbers.insert(numbers.end(), tensor.int64_data.begin(), tensor.int64_data.end());
  const std::string& raw = tensor.raw_data;
  constexpr std::size_t kMaxList = 16;
  for (std::size_t i = 0; i < std::min(raw.size() / sizeof(std::int64_t), kMaxList); ++i) {
    std::int64_t number = 0;
    std::memcpy(&number, raw.data() + i * sizeof number, sizeof number);
    numbers.push_back(number);
  }
}

std::vector<std::int64_t> numbers_in_functions(const ModelProto& model) {
  std::vector<std::int64_t> numbers;
  for (const FunctionProto& function : model.functions)
    for (const NodeProto& node : function.node)
      for (const AttributeProto& attribute : node.attribute) {
        if (attribute.t) add_numbers(*attribute.t, numbers);
        numbers.insert(numbers.end(), attribute.ints.begin(), attribute.ints.end());
      }
  return numbers;
}

void forget_sizes(ValueInfoProto& value) {
  TypeProto::Tensor* const type = value.tensor_type();
  if (!type || !type->shape) return;
  for (TensorShapeProto::Dimension& dim : type->shape->dim) dim = {};
}

// What is declared of all but the inputs, and inside of nodes of these as well.
void forget_declared(GraphProto& graph, bool is_inner) {
  graph.value_info.clear();
  for (ValueInfoProto& output : graph.output) forget_sizes(output);
  if (is_inner)
    for (ValueInfoProto& input : graph.input) forget_sizes(input);
  for (NodeProto& node : graph.node)
    for (AttributeProto& attribute : node.attribute)
      if (attribute.g) forget_declared(*attribute.g, true);
}

void free_axes(ValueInfoProto& input, const std::set<std::pair<std::string, std::size_t>>& freed) {
  TypeProto::Tensor* const type = input.tensor_type();
  if (!type || !type->shape) return;
  std::vector<TensorShapeProto::Dimension>& dims = type->shape->dim;
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (freed.contains({input.name, axis})) dims[axis] = {};
}

}  // namespace

ProbeCopy probe_copy(Bytes model, const std::set<std::pair<std::string, std::size_t>>& freed) {
  ModelProto proto = parse_model(model);
  GraphProto& graph = *proto.graph;
  ProbeCopy copy;
  for (const NodeProto& node : graph.node) copy.node_names.push_back(node.name);
  copy.function_numbers = numbers_in_functions(proto);
  name_nodes(graph, "n", copy);
  name_function_nodes(proto, copy);
  if (!freed.empty()) forget_declared(graph, false);  // it no longer holds
  for (ValueInfoProto& input : graph.input) free_axes(input, freed);
  copy.bytes = bytes_of(proto);
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
