#include "onnx/read.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "base/fail.h"
#include "graph/builder.h"
#include "graph/infer.h"
#include "onnx/dtype.h"
#include "onnx/infer_types.h"
#include "onnx/scan.h"
#include "onnx/tensors.h"
#include "onnx/wire.h"

namespace voxport {
namespace {

// The newest IR version of which we know all messages.
constexpr std::int64_t kKnownIrVersion = 8;

constexpr std::size_t kMaxRank = 64;

std::string domain_of(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

// The sizes that the file declares of a value; none where it declares no shape.
std::span<const TensorShapeProto::Dimension> declared_dims(const ValueInfoProto& value) {
  const TypeProto::Tensor* const type = value.tensor_type();
  if (!type || !type->shape) return {};
  return type->shape->dim;
}

// Sizes of axes: what the file calls them, and names for those that it does not.
class Symbols {
 public:
  explicit Symbols(const GraphProto& graph) { gather(graph); }

  Dim dim(const TensorShapeProto::Dimension& dim, const std::string& value, int axis) {
    if (dim.dim_value() && *dim.dim_value() >= 0) return *dim.dim_value();
    if (dim.dim_param() && !dim.dim_param()->empty()) return named(*dim.dim_param());
    return fresh(cat(std::string_view(value).substr(0, 100), "_", axis));
  }

 private:
  // An expression where the text is one that we would write, else a name, whatever it looks like:
  // "batch-size" is no difference.
  static Dim named(const std::string& text) {
    constexpr std::size_t kLongestExpression = 200;
    const bool is_plain = text.find_first_of(" */(+-") == std::string::npos;
    // A product of sums could have more terms than there is memory.
    const bool may_be_product = text.find("*(") != std::string::npos;
    if (is_plain || may_be_product || text.size() > kLongestExpression) return Dim::symbol(text);
    try {
      Dim dim = Dim::parse(text);
      if (!dim.is_constant() && dim.text() == text) return dim;
    } catch (const Error&) {  // so it is a name
    }
    return Dim::symbol(text);
  }

  Dim fresh(std::string name) {
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    std::string unique = name;
    int& number = last_number_[name];
    while (!names_.insert(unique).second) unique = cat(name, "_", ++number);
    return Dim::symbol(std::move(unique));
  }

  void gather(const GraphProto& graph) {
    for (const auto* list : {&graph.input, &graph.output, &graph.value_info})
      for (const ValueInfoProto& value : *list)
        for (const TensorShapeProto::Dimension& dim : declared_dims(value))
          if (dim.dim_param()) names_.insert(*dim.dim_param());
    for (const NodeProto& node : graph.node)
      for (const AttributeProto& attribute : node.attribute)
        if (attribute.g) gather(*attribute.g);
  }

  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, int> last_number_;  // that a name was told apart by
};

// seq(tensor(float)), as ONNX writes it.
std::string type_text(const TypeProto& type) {
  const auto element = [](std::int32_t number) -> std::string {
    static constexpr const char* kNames[] = {
        "undefined", "float",  "uint8",     "int8",       "uint16",  "int16",
        "int32",     "int64",  "string",    "bool",       "float16", "double",
        "uint32",    "uint64", "complex64", "complex128", "bfloat16"};
    const bool is_known = number >= 0 && number < static_cast<int>(std::size(kNames));
    return is_known ? kNames[number] : cat("type ", number);
  };
  const auto inner = [](const Box<TypeProto>& box) { return box ? type_text(*box) : "unknown"; };
  if (const auto* tensor = std::get_if<TypeProto::Tensor>(&type.value))
    return cat("tensor(", element(tensor->elem_type), ")");
  if (const auto* sparse = std::get_if<TypeProto::SparseTensor>(&type.value))
    return cat("sparse_tensor(", element(sparse->elem_type), ")");
  if (const auto* sequence = std::get_if<TypeProto::Sequence>(&type.value))
    return cat("seq(", inner(sequence->elem_type), ")");
  if (const auto* optional = std::get_if<TypeProto::Optional>(&type.value))
    return cat("optional(", inner(optional->elem_type), ")");
  if (const auto* map = std::get_if<TypeProto::Map>(&type.value))
    return cat("map(", element(map->key_type), ",", inner(map->value_type), ")");
  return "unknown";
}

Type read_type(const TypeProto& proto, const std::string& name, Symbols& symbols) {
  Type type;
  const TypeProto::Tensor* const tensor = proto.tensor_type();
  const auto dtype = tensor ? dtype_of_onnx(tensor->elem_type) : std::optional<DType>();
  if (dtype) {
    type.dtype = *dtype;
  } else {
    type.foreign = type_text(proto);
  }
  if (!tensor || !tensor->shape) return type;
  if (tensor->shape->dim.size() > kMaxRank)
    fail(Error::kCorrupt, in_quotes(name), " has more than ", kMaxRank, " axes");
  type.shape.emplace();
  int axis = 0;
  for (const TensorShapeProto::Dimension& dim : tensor->shape->dim)
    type.shape->push_back(symbols.dim(dim, name, axis++));
  return type;
}

Tensor float_tensor(std::vector<std::int64_t> shape, std::span<const float> values) {
  return tensor_of(std::move(shape), {values.begin(), values.end()});
}

OnnxTensor text_tensor(std::vector<std::int64_t> shape) {
  OnnxTensor tensor;
  tensor.foreign = "tensor(string)";
  tensor.values.dtype = DType::kUInt8;
  tensor.values.shape = std::move(shape);
  tensor.values.unreadable = "a tensor(string)";
  return tensor;
}

// The one attribute of a Constant node.
OnnxTensor read_constant(const NodeProto& node, TensorSource& tensors) {
  for (const AttributeProto& attribute : node.attribute) {
    const std::string& name = attribute.name;
    const auto ints = static_cast<std::int64_t>(attribute.ints.size());
    const auto floats = static_cast<std::int64_t>(attribute.floats.size());
    if (name == "value" && attribute.t) return tensors.read(*attribute.t);
    if (name == "value_int") return {int64_tensor({}, {attribute.i.value_or(0)}), ""};
    if (name == "value_ints")
      return {int64_tensor({ints}, {attribute.ints.begin(), attribute.ints.end()}), ""};
    const float f = attribute.f.value_or(0);
    if (name == "value_float") return {float_tensor({}, std::span(&f, 1)), ""};
    if (name == "value_floats")
      return {tensor_of({floats}, {attribute.floats.begin(), attribute.floats.end()}), ""};
    if (name == "value_string") return text_tensor({});
    if (name == "value_strings")
      return text_tensor({static_cast<std::int64_t>(attribute.strings.size())});
  }
  fail(Error::kCorrupt, "a Constant has no value");
}

// Old files leave out of which type an attribute is.
std::int32_t type_of(const AttributeProto& attribute) {
  using Proto = AttributeProto;
  if (attribute.type != Proto::kUndefined) return attribute.type;
  if (attribute.f) return Proto::kFloat;
  if (attribute.i) return Proto::kInt;
  if (attribute.s) return Proto::kString;
  if (attribute.t) return Proto::kTensor;
  if (attribute.g) return Proto::kGraph;
  if (!attribute.floats.empty()) return Proto::kFloats;
  if (!attribute.ints.empty()) return Proto::kInts;
  if (!attribute.strings.empty()) return Proto::kStrings;
  return Proto::kUndefined;
}

// Our own rules know more of symbols than ONNX does, and are written for these opsets and later.
constexpr std::int64_t kInferFrom = 13;

// What a file may make of a few bytes, in bytes of memory: types that are inferred, or taken over
// into graphs inside. Beyond it they are unknown.
constexpr std::uint64_t kTypeBudget = std::uint64_t{64} << 20;

std::uint64_t memory_of(const Type& type) {
  constexpr std::uint64_t kDimBytes = 128;
  std::uint64_t bytes = 0;
  const auto add = [&](const Dim& dim) { bytes += kDimBytes + dim.text().size(); };
  if (type.shape) std::ranges::for_each(*type.shape, add);
  if (type.elements) std::ranges::for_each(*type.elements, add);
  return bytes;
}

// A bound for the terms that a product of these sizes can have; many when one of them is long.
std::uint64_t terms_of(std::span<const Dim> dims) {
  constexpr std::uint64_t kMany = 1'000'000;
  constexpr std::size_t kLong = 500;
  std::uint64_t terms = 1;
  for (const Dim& dim : dims) {
    const std::string text = dim.text();
    terms *= 1 + static_cast<std::uint64_t>(std::ranges::count(text, ' '));
    if (text.size() > kLong || terms > kMany) return kMany;
  }
  return terms;
}

// Whether our rules can be asked: the type is known, and its sizes are no towers of terms, which a
// hostile file could make of a few symbols.
bool is_simple(const Value& value) {
  constexpr std::uint64_t kManyTerms = 200;
  const Type& type = value.type();
  if (!type.foreign.empty() || !type.shape) return false;
  return terms_of(*type.shape) <= kManyTerms &&
         (!type.elements || terms_of(*type.elements) <= kManyTerms);
}

bool contradicts(const Type& a, const Type& b) {
  if (!b.foreign.empty()) return b.foreign != "unknown";
  if (a.dtype != b.dtype) return true;
  if (!a.shape || !b.shape) return false;
  if (a.shape->size() != b.shape->size()) return true;
  for (std::size_t i = 0; i < a.shape->size(); ++i) {
    const auto x = (*a.shape)[i].constant();
    const auto y = (*b.shape)[i].constant();
    if (x && y && *x != *y) return true;
  }
  return false;
}

// What our rules say of the outputs, where they have an answer that does not contradict `known`.
// Sizes that only the run can tell are named after `name`.
std::optional<std::vector<Type>> infer_outputs(const NodeProto& node, std::span<const Value> inputs,
                                               const Attributes& attributes,
                                               const std::vector<Type>& known,
                                               const std::string& name) {
  if (!domain_of(node.domain).empty() || !is_inferable(node.op_type)) return std::nullopt;
  for (const Value& input : inputs)
    if (input && !is_simple(input)) return std::nullopt;
  std::vector<Type> types;
  try {
    types = infer(node.op_type, inputs, attributes, known.size(), name);
  } catch (const Error&) {  // the file may be right all the same
    return std::nullopt;
  }
  if (types.size() != known.size()) return std::nullopt;
  for (std::size_t i = 0; i < types.size(); ++i)
    if (contradicts(types[i], known[i])) return std::nullopt;
  return types;
}

bool is_constant_node(const NodeProto& node) {
  return node.op_type == "Constant" && domain_of(node.domain).empty() && node.output.size() == 1;
}

class GraphReader {
 public:
  // What all graphs of a model share.
  struct Context {
    TensorSource& tensors;
    Symbols& symbols;
    bool infers;  // by our own rules
    std::uint64_t budget = kTypeBudget;
    std::unordered_map<std::string, int> hints = {};  // names given to infer(), and how often

    // The type, as long as there is room for it.
    Type afford(Type type) {
      const std::uint64_t bytes = memory_of(type);
      if (bytes <= budget) {
        budget -= bytes;
        return type;
      }
      Type unknown;
      unknown.foreign = "unknown";
      return unknown;
    }
  };

  GraphReader(const GraphProto& proto, Context& context, GraphReader* outer)
      : proto_(proto), context_(context), outer_(outer), graph_(std::make_unique<Graph>()) {}

  void read() {
    graph_->graph_name = proto_.name;
    gather_types();
    read_inputs();
    for (const NodeProto& node : proto_.node)
      if (is_constant_node(node))
        add_constant(node.output[0], read_constant(node, context_.tensors));
    for (const NodeProto& node : proto_.node) {
      if (is_constant_node(node)) continue;
      try {
        read_node(node);
      } catch (Error& error) {
        error.add_context(
            cat("reading node ", in_quotes(node.name), " (", printable(node.op_type), ")"));
        throw;
      }
    }
    for (const ValueInfoProto& output : proto_.output) {
      graph_->add_output(output.name, find(output.name));
      note_axis_names(output, graph_->outputs().back().second.type());
    }
  }

  std::unique_ptr<Graph> take_graph() { return std::move(graph_); }
  // The outer values of what the graph captures.
  const std::vector<Value>& captured() const { return captured_; }

  std::vector<std::pair<std::string, Value>> initializers;
  std::vector<std::string> overridable;
  std::vector<std::pair<std::string, std::string>> axis_names;

 private:
  void note_axis_names(const ValueInfoProto& output, const Type& type) {
    const std::span<const TensorShapeProto::Dimension> declared = declared_dims(output);
    const Shape shape = type.shape.value_or(Shape());
    for (std::size_t i = 0; i < std::min(declared.size(), shape.size()); ++i) {
      const Dim& dim = shape[i];
      const std::string* const name = declared[i].dim_param();
      if (!dim.is_constant() && name && !name->empty() && dim.text() != *name)
        axis_names.emplace_back(dim.text(), *name);
    }
  }

  void gather_types() {
    for (const auto* list : {&proto_.value_info, &proto_.output, &proto_.input})
      for (const ValueInfoProto& value : *list)
        if (value.type) types_[value.name] = &*value.type;
  }

  Type type_of_value(const std::string& name) {
    const auto found = types_.find(name);
    if (found != types_.end()) return read_type(*found->second, name, context_.symbols);
    Type type;
    type.foreign = "unknown";
    return type;
  }

  void read_inputs() {
    std::unordered_set<std::string> inputs, given;
    for (const TensorProto& tensor : proto_.initializer) given.insert(tensor.name);
    for (const ValueInfoProto& input : proto_.input) {
      if (!inputs.insert(input.name).second)
        fail(Error::kCorrupt, "two inputs are named ", in_quotes(input.name));
      if (given.contains(input.name)) {
        overridable.push_back(input.name);
      } else {
        check_new(input.name);
        values_.emplace(input.name, graph_->add_input(input.name, type_of_value(input.name)));
      }
    }
    for (const TensorProto& tensor : proto_.initializer) {
      add_constant(tensor.name, context_.tensors.read(tensor));
      initializers.emplace_back(tensor.name, values_.at(tensor.name));
    }
  }

  void check_new(const std::string& name) const {
    if (name.empty()) fail(Error::kCorrupt, "a value has no name");
    if (values_.contains(name)) fail(Error::kCorrupt, "two values are named ", in_quotes(name));
  }

  void add_constant(const std::string& name, OnnxTensor tensor) {
    check_new(name);
    values_.emplace(
        name, graph_->add_constant(name, std::move(tensor.values), std::move(tensor.foreign)));
  }

  // A value by its name: one of this graph, or one of those around it.
  Value find(const std::string& name) {
    if (const Value value = find_if_any(name)) return value;
    fail(Error::kCorrupt, in_quotes(name), " is used, but nothing before makes it");
  }

  Value find_if_any(const std::string& name) {
    if (const auto found = values_.find(name); found != values_.end()) return found->second;
    const Value outer = outer_ ? outer_->find_if_any(name) : Value();
    if (!outer) return {};
    captured_.push_back(outer);
    return values_.emplace(name, graph_->add_captured(name, context_.afford(outer.type())))
        .first->second;
  }

  using Outputs = std::vector<std::pair<std::string, Type>>;

  void read_node(const NodeProto& node) {
    if (node.op_type.empty()) fail(Error::kCorrupt, "a node has no operator");
    std::vector<Value> inputs;
    for (const std::string& name : node.input)
      inputs.push_back(name.empty() ? Value() : find(name));
    std::vector<Value> captured;
    Attributes attributes = read_attributes(node, captured);
    Outputs outputs = outputs_of(node);
    improve_types(node, inputs, attributes, outputs);
    const Node made = graph_->add_node(node.name, node.op_type, std::move(inputs),
                                       std::move(attributes), outputs, domain_of(node.domain));
    graph_->set_captured(made, std::move(captured));
    for (std::size_t i = 0; i < made.outputs().size(); ++i) {
      const std::string& name = node.output[i];
      if (!name.empty()) values_.emplace(name, made.outputs()[i]);
    }
  }

  void improve_types(const NodeProto& node, std::span<const Value> inputs,
                     const Attributes& attributes, Outputs& outputs) {
    if (!context_.infers || outputs.empty() || context_.budget == 0) return;
    std::vector<Type> known;
    for (const auto& [name, type] : outputs) known.push_back(type);
    auto types = infer_outputs(node, inputs, attributes, known, hint_for(node));
    if (!types) return;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      Type type = context_.afford(std::move((*types)[i]));
      if (type.foreign.empty()) outputs[i].second = std::move(type);
    }
  }

  // The node's name, unless it has none, or another has one that is written alike: sizes that are
  // not equal must not be named alike.
  std::string hint_for(const NodeProto& node) {
    constexpr std::size_t kLongestHint = 200;
    std::string hint = node.name.empty() ? node.op_type : node.name;
    hint.resize(std::min(hint.size(), kLongestHint));
    std::string letters = hint;
    for (char& c : letters)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    const int before = context_.hints[letters]++;
    return before == 0 ? hint : cat(letters, "_again_", before);
  }

  Outputs outputs_of(const NodeProto& node) {
    std::size_t count = node.output.size();
    while (count > 0 && node.output[count - 1].empty()) --count;
    Outputs outputs;
    std::unordered_set<std::string> own;
    for (const std::string& name : node.output) {
      if (outputs.size() == count) break;
      if (!name.empty()) check_new(name);
      if (!name.empty() && !own.insert(name).second)
        fail(Error::kCorrupt, "two values are named ", in_quotes(name));
      outputs.emplace_back(name.empty() ? unused_name(node, outputs.size()) : name,
                           type_of_value(name));
    }
    return outputs;
  }

  // For an output that is left out: one that no value has or will have.
  std::string unused_name(const NodeProto& node, std::size_t output) {
    return graph_->take_name(cat("unused:", node.name, ":", output));
  }

  Attributes read_attributes(const NodeProto& node, std::vector<Value>& captured) {
    Attributes attributes;
    for (const AttributeProto& attribute : node.attribute) {
      try {
        attributes.emplace_back(attribute.name, read_attribute(node, attribute, captured));
      } catch (Error& error) {
        error.add_context(cat("reading its attribute ", in_quotes(attribute.name)));
        throw;
      }
    }
    return attributes;
  }

  Attribute read_attribute(const NodeProto& node, const AttributeProto& attribute,
                           std::vector<Value>& captured) {
    using Proto = AttributeProto;
    const auto type = type_of(attribute);
    if ((type == Proto::kTensor && !attribute.t) || (type == Proto::kGraph && !attribute.g))
      fail(Error::kCorrupt, "it has no value");
    switch (type) {
      case Proto::kFloat: return double{attribute.f.value_or(0)};
      case Proto::kInt: return read_integer(node, attribute);
      case Proto::kString: return attribute.s.value_or("");
      case Proto::kTensor: return context_.tensors.read(*attribute.t).values;
      case Proto::kGraph: return read_subgraph(*attribute.g, captured);
      case Proto::kFloats:
        return std::vector<double>(attribute.floats.begin(), attribute.floats.end());
      case Proto::kInts: return attribute.ints;
      case Proto::kStrings: return attribute.strings;
      case Proto::kTypeProto:
      case Proto::kTypeProtos: return ForeignAttribute{bytes_of(attribute)};
      default: fail(Error::kUnsupported, "it is of type ", attribute.type);
    }
  }

  static Attribute read_integer(const NodeProto& node, const AttributeProto& attribute) {
    const std::int64_t value = attribute.i.value_or(0);
    const bool is_dtype = domain_of(node.domain).empty() &&
                          holds_dtype(node.op_type, attribute.name) && value >= 0 &&
                          value <= INT32_MAX;
    const auto dtype =
        is_dtype ? dtype_of_onnx(static_cast<std::int32_t>(value)) : std::optional<DType>();
    if (dtype) return std::string(name_of(*dtype));
    return value;
  }

  std::shared_ptr<Graph> read_subgraph(const GraphProto& proto, std::vector<Value>& captured) {
    GraphReader reader(proto, context_, this);
    reader.read();
    captured.insert(captured.end(), reader.captured().begin(), reader.captured().end());
    return reader.take_graph();
  }

  const GraphProto& proto_;
  Context& context_;
  GraphReader* outer_;
  std::unique_ptr<Graph> graph_;
  std::unordered_map<std::string, const TypeProto*> types_;
  std::unordered_map<std::string, Value> values_;
  std::vector<Value> captured_;
};

void count_operators(const GraphProto& graph, std::map<std::string, std::uint64_t>& counts) {
  for (const NodeProto& node : graph.node) {
    const std::string domain = domain_of(node.domain);
    ++counts[domain.empty() ? node.op_type : cat(domain, ".", node.op_type)];
    for (const AttributeProto& attribute : node.attribute)
      if (attribute.g) count_operators(*attribute.g, counts);
  }
}

void read_heading(const ModelProto& proto, OnnxModel& model) {
  model.ir_version = proto.ir_version;
  model.producer_name = proto.producer_name;
  model.producer_version = proto.producer_version;
  model.domain = proto.domain;
  model.model_version = proto.model_version;
  model.doc_string = proto.doc_string;
  for (const OperatorSetIdProto& opset : proto.opset_import)
    model.opsets.emplace_back(domain_of(opset.domain), opset.version);
  for (const StringStringEntryProto& entry : proto.metadata_props)
    model.metadata.emplace_back(entry.key, entry.value);
  std::map<std::string, std::uint64_t> counts;
  count_operators(*proto.graph, counts);
  model.operators.assign(counts.begin(), counts.end());
}

std::int64_t opset_of(const OnnxModel& model) {
  for (const auto& [domain, version] : model.opsets)
    if (domain.empty()) return version;
  return 0;
}

OnnxModel read_scanned(ScannedModel scanned, const Blob& file, const std::filesystem::path& folder,
                       InnerTypes inner_types) {
  OnnxModel model;
  read_heading(scanned.model, model);
  model.functions = std::move(scanned.functions);
  TensorSource tensors(std::move(scanned.tensors), file, folder);
  try {
    if (inner_types == InnerTypes::kInferredByOnnx) infer_types(scanned.model, tensors);
    Symbols symbols(*scanned.model.graph);
    const bool infers = inner_types != InnerTypes::kDeclared && opset_of(model) >= kInferFrom;
    GraphReader::Context context{tensors, symbols, infers};
    GraphReader reader(*scanned.model.graph, context, nullptr);
    reader.read();
    model.initializers = std::move(reader.initializers);
    model.overridable = std::move(reader.overridable);
    model.axis_names = std::move(reader.axis_names);
    model.graph = reader.take_graph();
  } catch (Error& error) {
    if (model.ir_version > kKnownIrVersion) {
      error.add_context(cat("trying a model of IR version ", model.ir_version,
                            ", which is newer than ", kKnownIrVersion, ", the last that is known"));
    }
    throw;
  }
  return model;
}

}  // namespace

OnnxModel read_onnx(const Blob& file, const std::filesystem::path& folder, InnerTypes inner_types) {
  return read_scanned(scan_onnx(file), file, folder, inner_types);
}

OnnxModel read_onnx(const std::filesystem::path& path, InnerTypes inner_types) {
  return in_context(cat("opening ", in_quotes(path.native())), [&] {
    return read_onnx(Blob::map_file(path), path.parent_path(), inner_types);
  });
}

bool recognise_onnx(Bytes file) {
  if (file.size() < 3 || file[0] != std::byte{0x08}) return false;
  const bool has_version = file[1] > std::byte{0} && file[1] < std::byte{0x20};
  const auto next_field = std::to_integer<int>(file[2] >> 3);
  return has_version && ((next_field >= 2 && next_field <= 8) || next_field == 14);
}

std::map<std::string, std::string> read_onnx_metadata(const Blob& file) {
  constexpr std::uint32_t kMetadataProps = 14;
  std::map<std::string, std::string> metadata;
  try {
    Fields fields(file.bytes(), file.bytes(), "the model");
    while (const std::optional<Field> field = fields.next()) {
      if (field->number != kMetadataProps || field->wire != Field::kLength) continue;
      auto entry = read_message<StringStringEntryProto>(field->content);
      metadata.emplace(std::move(entry.key), std::move(entry.value));
    }
  } catch (const Error&) {  // loading the model will tell
    return {};
  }
  return metadata;
}

OnnxOptions options_of(const OnnxModel& model) {
  OnnxOptions options;
  for (const auto& [domain, version] : model.opsets) {
    if (domain.empty()) {
      options.opset = static_cast<int>(std::clamp<std::int64_t>(version, 0, INT32_MAX));
    } else {
      options.domains.emplace_back(domain, version);
    }
  }
  options.axis_names = model.axis_names;
  options.producer_version = model.producer_version;
  options.doc_string = model.doc_string;
  options.metadata = model.metadata;
  return options;
}

}  // namespace voxport
