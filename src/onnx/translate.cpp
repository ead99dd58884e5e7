#include "onnx/translate.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/fail.h"
#include "graph/assumptions.h"
#include "onnx/dtype.h"
#include "onnx/newer_opset.h"

namespace voxport {
namespace {

// The lowest IR version that goes with each opset. ONNX Runtime 1.12 and newer read those up to 8.
struct Release {
  int opset;
  int ir_version;
};
constexpr Release kReleases[] = {{13, 7}, {14, 7}, {15, 8}, {16, 8}, {17, 8},
                                 {18, 8}, {19, 9}, {20, 9}, {21, 10}};

int ir_version_of(int opset) {
  for (const Release& release : kReleases)
    if (release.opset == opset) return release.ir_version;
  fail(Error::kUsage, "opset ", opset, " cannot be written, expected 13 to 21");
}

// What each value is called in the model.
class Names {
 public:
  // `captured` are the names of what the graph captures, in the graph around it.
  Names(const Graph& graph, const std::vector<std::string>& captured) {
    assert(captured.size() == graph.captured().size());
    for (std::size_t i = 0; i < captured.size(); ++i)
      captured_.emplace(graph.captured()[i].name(), captured[i]);
    for (const Value& input : graph.inputs()) inputs_.insert(input.name());
    for (const auto& [name, value] : graph.outputs()) name_output(name, value);
    std::vector<Value> others = graph.constants();
    for (const Node& node : graph.nodes())
      others.insert(others.end(), node.outputs().begin(), node.outputs().end());
    for (const Value& value : others) taken_.insert(value.name());
    for (const Value& value : others) clear_the_way(value);
  }

  const std::string& of(const Value& value) const {
    if (const auto outer = captured_.find(value.name()); outer != captured_.end())
      return outer->second;
    const auto found = renamed_.find(value.name());
    return found == renamed_.end() ? value.name() : found->second;
  }

  // Outputs that are made by an Identity.
  const std::vector<std::pair<std::string, Value>>& copies() const { return copies_; }

 private:
  void name_output(const std::string& name, const Value& value) {
    if (!outputs_.insert(name).second)
      fail(Error::kUsage, "two outputs are named ", in_quotes(name));
    const bool is_given = inputs_.contains(value.name()) || captured_.contains(value.name());
    if (is_given && name == of(value)) return;
    if (inputs_.contains(name))
      fail(Error::kUsage, "output ", in_quotes(name), " has the name of an input");
    const bool is_made_here = value.producer().has_value();
    if (!is_made_here || !renamed_.emplace(value.name(), name).second)
      copies_.emplace_back(name, value);
  }

  // A value that has the name of an output, but is not that output, takes another.
  void clear_the_way(const Value& value) {
    if (!outputs_.contains(value.name()) || renamed_.contains(value.name())) return;
    std::string name;
    int number = 0;
    do {
      name = cat(value.name(), "_", ++number);
    } while (outputs_.contains(name) || inputs_.contains(name) || taken_.contains(name));
    taken_.insert(name);
    renamed_.emplace(value.name(), std::move(name));
  }

  std::unordered_set<std::string> inputs_, outputs_, taken_;
  std::unordered_map<std::string, std::string> renamed_, captured_;
  std::vector<std::pair<std::string, Value>> copies_;
};

void set_type(const std::string& name, const Type& type, ValueInfoProto& proto) {
  if (!type.foreign.empty())
    fail(Error::kUnsupported, "values of type ", printable(type.foreign), " cannot be written");
  TypeProto::Tensor& tensor = proto.make_tensor(name, onnx_dtype(type.dtype));
  if (!type.shape) return;
  TensorShapeProto& shape = tensor.shape.emplace();
  for (const Dim& dim : *type.shape) {
    TensorShapeProto::Dimension& size = shape.dim.emplace_back();
    if (const auto number = dim.constant()) {
      size.value = *number;
    } else {
      size.value = dim.text();
    }
  }
}

void set_value_info(const std::string& name, const Type& type, ValueInfoProto& proto) {
  in_context(cat("writing the type of ", in_quotes(name)), [&] {
    proto.name = name;
    if (type.foreign != "unknown") set_type(name, type, proto);
  });
}

TensorProto whole_tensor(const Tensor& tensor) {
  TensorProto proto = tensor_header("", tensor);
  proto.name.clear();
  proto.raw_data = std::string(contiguous(tensor).text());
  return proto;
}

void set_graph(const Graph& graph, const Names& names, WrittenTypes written_types,
               GraphProto& proto, std::vector<Initializer>& initializers);

void set_subgraph(const Graph& graph, const std::vector<std::string>& captured, GraphProto& proto) {
  std::vector<Initializer> initializers;
  set_graph(graph, Names(graph, captured), WrittenTypes::kNone, proto, initializers);
  for (const Initializer& initializer : initializers) {
    TensorProto tensor = whole_tensor(*initializer.values);
    tensor.name = initializer.name;
    proto.initializer.push_back(std::move(tensor));
  }
}

// Any attribute but a graph.
void set_attribute(const Attribute& attribute, AttributeProto& proto) {
  struct Visitor {
    AttributeProto& proto;

    void operator()(std::int64_t value) const {
      proto.type = AttributeProto::kInt;
      proto.i = value;
    }
    void operator()(double value) const {
      proto.type = AttributeProto::kFloat;
      proto.f = static_cast<float>(value);
    }
    void operator()(const std::string& value) const {
      proto.type = AttributeProto::kString;
      proto.s = value;
    }
    void operator()(const std::vector<std::int64_t>& values) const {
      proto.type = AttributeProto::kInts;
      proto.ints = values;
    }
    void operator()(const std::vector<double>& values) const {
      proto.type = AttributeProto::kFloats;
      for (const double value : values) proto.floats.push_back(static_cast<float>(value));
    }
    void operator()(const std::vector<std::string>& values) const {
      proto.type = AttributeProto::kStrings;
      proto.strings = values;
    }
    void operator()(const Tensor& value) const {
      proto.type = AttributeProto::kTensor;
      proto.t.emplace() = whole_tensor(value);
    }
    void operator()(const ForeignAttribute& value) const {
      proto = read_message<AttributeProto>(as_bytes(value.bytes));
    }
    void operator()(const std::shared_ptr<Graph>&) const { assert(false); }
  };
  std::visit(Visitor{proto}, attribute);
}

// "int64" for ONNX's 7, where the attribute holds an element type.
Attribute numbered(const Node& node, const std::string& name, const Attribute& attribute) {
  const auto* text = std::get_if<std::string>(&attribute);
  if (!text || !node.domain().empty() || !holds_dtype(node.op(), name)) return attribute;
  const auto dtype = dtype_named(*text);
  if (!dtype) fail(Error::kInternal, "there is no dtype ", in_quotes(*text));
  return std::int64_t{onnx_dtype(*dtype)};
}

void set_attributes(const Node& node, const Names& names, NodeProto& proto) {
  std::span<const Value> captured = node.captured();
  for (const auto& [name, attribute] : node.attributes()) {
    AttributeProto& next = proto.attribute.emplace_back();
    next.name = name;
    const auto* graph = std::get_if<std::shared_ptr<Graph>>(&attribute);
    if (!graph) {
      set_attribute(numbered(node, name, attribute), next);
      continue;
    }
    std::vector<std::string> outer;
    for (const Value& value : captured.first((*graph)->captured().size()))
      outer.push_back(names.of(value));
    captured = captured.subspan(outer.size());
    next.type = AttributeProto::kGraph;
    set_subgraph(**graph, outer, next.g.emplace());
  }
}

void set_node(const Node& node, const Names& names, NodeProto& proto) {
  std::size_t inputs = node.inputs().size();
  while (inputs > 0 && !node.inputs()[inputs - 1]) --inputs;  // absent ones at the end go unsaid
  for (const Value& input : node.inputs().first(inputs))
    proto.input.push_back(input ? names.of(input) : std::string());
  for (const Value& output : node.outputs()) proto.output.push_back(names.of(output));
  proto.name = node.name();
  proto.op_type = node.op();
  if (!node.domain().empty()) proto.domain = node.domain();
  set_attributes(node, names, proto);
}

void add_identity(const std::string& output, const std::string& input, GraphProto& proto) {
  NodeProto& node = proto.node.emplace_back();
  node.input.push_back(input);
  node.output.push_back(output);
  node.name = cat(output, "/Identity");
  node.op_type = "Identity";
}

// Whether the node compares steps with each other: it normalizes along an axis that is dynamic.
bool is_attention(const Node& node) {
  if (node.op() != "Softmax" || !node.domain().empty() || !node.input(0).type().shape) return false;
  const Attribute* axis = node.find("axis");
  return !node.input(0).dim(axis ? std::get<std::int64_t>(*axis) : -1).is_constant();
}

// The names of all values that attention is computed from, and of its own.
std::unordered_set<std::string> sources_of_attention(const Graph& graph) {
  std::unordered_set<std::string> sources;
  const std::vector<Node> nodes = graph.nodes();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const bool leads_there =
        is_attention(*node) || std::ranges::any_of(node->outputs(), [&](const Value& output) {
          return sources.contains(output.name());
        });
    if (!leads_there) continue;
    for (const Value& output : node->outputs()) sources.insert(output.name());
    for (const Value& input : node->inputs())
      if (input) sources.insert(input.name());
  }
  return sources;
}

// An expression that is longer than a name has one in its place: all that counts is which sizes are
// the same.
class SizeNames {
 public:
  void shorten(TypeProto::Tensor& type) {
    constexpr std::size_t kLongestName = 40;
    if (!type.shape) return;
    for (TensorShapeProto::Dimension& dim : type.shape->dim)
      if (dim.dim_param() && dim.dim_param()->size() > kLongestName)
        dim.value = names_.try_emplace(*dim.dim_param(), cat("size_", names_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, std::string> names_;
};

// Whether ONNX Runtime leaves what the node makes in blocks of channels, given the names of values
// that are: convolutions do, and what works on each element of them.
bool stays_in_blocks(const Node& node, const std::unordered_set<std::string>& blocks) {
  constexpr std::string_view kElementwise[] = {"Add",  "LeakyRelu", "Mul",
                                               "Relu", "Sigmoid",   "Tanh"};
  if (!node.domain().empty() || node.outputs().size() != 1) return false;
  if (node.op() == "Conv") return true;
  return std::ranges::find(kElementwise, node.op()) != std::end(kElementwise) &&
         std::ranges::all_of(node.inputs(),
                             [&](const Value& input) { return blocks.contains(input.name()); });
}

// The names of sums that a convolution can take, and of what they add: of four axes and one shape,
// and all in blocks.
std::unordered_set<std::string> sums_of(const Graph& graph) {
  std::unordered_set<std::string> sums, blocks;
  for (const Node& node : graph.nodes()) {
    if (!stays_in_blocks(node, blocks)) continue;
    blocks.insert(node.output().name());
    if (node.op() != "Add" || !node.output().type().shape || node.output().rank() != 4) continue;
    const Value all[] = {node.input(0), node.input(1), node.output()};
    const bool is_one_shape = std::ranges::all_of(
        all, [&](auto& value) { return value.type().shape == node.output().type().shape; });
    if (!is_one_shape) continue;
    for (const Value& value : all) sums.insert(value.name());
  }
  return sums;
}

// Whether hide_ranks() has been there.
bool has_hidden_ranks(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) {
    if (node.op() != "Reshape" || !node.input(1)) return false;
    const std::optional<Node> shape = node.input(1).producer();
    return shape && shape->op() == "Compress";
  });
}

using IsWritten = std::function<bool(const Value& value)>;

IsWritten which_are_written(const Graph& graph, WrittenTypes written_types) {
  if (written_types == WrittenTypes::kAll) return [](const Value&) { return true; };
  if (has_hidden_ranks(graph) || assumes_sizes(graph))
    return [sums = sums_of(graph)](const Value& value) { return sums.contains(value.name()); };
  return [sources = sources_of_attention(graph), sums = sums_of(graph)](const Value& value) {
    return !sources.contains(value.name()) || sums.contains(value.name());
  };
}

void set_inner_types(const Graph& graph, const Names& names, WrittenTypes written_types,
                     GraphProto& proto) {
  std::unordered_set<std::string> outputs;
  for (const auto& [name, value] : graph.outputs()) outputs.insert(name);
  const IsWritten is_written = which_are_written(graph, written_types);
  SizeNames size_names;
  for (const Node& node : graph.nodes()) {
    for (const Value& value : node.outputs()) {
      const bool is_inside = value.type().foreign.empty() && !outputs.contains(names.of(value));
      if (!is_inside || !is_written(value)) continue;
      ValueInfoProto& info = proto.value_info.emplace_back();
      set_value_info(names.of(value), value.type(), info);
      if (written_types != WrittenTypes::kAll && info.tensor_type())
        size_names.shorten(*info.tensor_type());
    }
  }
}

void set_graph(const Graph& graph, const Names& names, WrittenTypes written_types,
               GraphProto& proto, std::vector<Initializer>& initializers) {
  proto.name = graph.graph_name;
  for (const Node& node : graph.nodes()) {
    in_context(cat("writing node ", in_quotes(node.name())),
               [&] { set_node(node, names, proto.node.emplace_back()); });
  }
  for (const auto& [name, value] : names.copies()) add_identity(name, names.of(value), proto);
  for (const Value& constant : graph.constants())
    initializers.push_back({names.of(constant), constant.constant()});
  for (const Value& input : graph.inputs())
    set_value_info(input.name(), input.type(), proto.input.emplace_back());
  for (const auto& [name, value] : graph.outputs())
    set_value_info(name, value.type(), proto.output.emplace_back());
  if (written_types != WrittenTypes::kNone) set_inner_types(graph, names, written_types, proto);
}

void name_axes(const std::vector<std::pair<std::string, std::string>>& names,
               std::vector<ValueInfoProto>& infos) {
  for (ValueInfoProto& info : infos) {
    TypeProto::Tensor* const type = info.tensor_type();
    if (!type || !type->shape) continue;
    for (TensorShapeProto::Dimension& dim : type->shape->dim)
      for (const auto& [expression, name] : names)
        if (dim.dim_param() && *dim.dim_param() == expression) dim.value = name;
  }
}

// Domains other than ONNX's own, in order of first use, subgraphs after their node.
void list_domains(const GraphProto& graph, std::vector<std::string>& domains) {
  for (const NodeProto& node : graph.node) {
    const bool is_known = std::ranges::find(domains, node.domain) != domains.end();
    if (!node.domain.empty() && !is_known) domains.push_back(node.domain);
    for (const AttributeProto& attribute : node.attribute)
      if (attribute.g) list_domains(*attribute.g, domains);
  }
}

void set_opsets(const OnnxOptions& options, ModelProto& model) {
  model.opset_import.emplace_back().version = options.opset;  // of ONNX's own domain
  std::vector<std::string> domains;
  list_domains(*model.graph, domains);
  for (const std::string& domain : domains) {
    const auto given =
        std::ranges::find(options.domains, domain, &std::pair<std::string, std::int64_t>::first);
    OperatorSetIdProto& opset = model.opset_import.emplace_back();
    opset.domain = domain;
    opset.version = given == options.domains.end() ? 1 : given->second;
  }
}

}  // namespace

TensorProto tensor_header(const std::string& name, const Tensor& tensor) {
  return in_context(cat("writing tensor ", in_quotes(name)), [&] {
    TensorProto proto;
    proto.dims = tensor.shape;
    proto.data_type = onnx_dtype(tensor.dtype);
    proto.name = name;
    return proto;
  });
}

Translation translate(const Graph& graph, const OnnxOptions& options) {
  Translation translation;
  ModelProto& model = translation.model;
  model.ir_version = ir_version_of(options.opset);
  model.producer_name = "voxport";
  if (!options.producer_version.empty()) model.producer_version = options.producer_version;
  if (!options.doc_string.empty()) model.doc_string = options.doc_string;
  set_graph(graph, Names(graph, {}), options.written_types, model.graph.emplace(),
            translation.initializers);
  say_in_newer_opset(*model.graph, options.opset);
  if (!options.axis_names.empty()) {
    name_axes(options.axis_names, model.graph->input);
    name_axes(options.axis_names, model.graph->output);
  }
  set_opsets(options, model);
  for (const auto& [key, value] : options.metadata)
    model.metadata_props.push_back({key, value, {}});
  return translation;
}

}  // namespace voxport
