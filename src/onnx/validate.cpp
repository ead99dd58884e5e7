#include "onnx/validate.h"

#include <algorithm>
#include <exception>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include "base/fail.h"
#include "base/join.h"
#include "onnx/newer_opset.h"
#include "onnx/translate.h"

namespace voxport {
namespace {

// Sizes, axes and indices decide shapes, and are small; of floats only the likes of Resize's
// scales.
constexpr std::uint64_t kMaxCheckedIntegerBytes = 4096;
constexpr std::uint64_t kMaxCheckedFloatBytes = 64;

constexpr int kShownDifferences = 5;

bool decides_shapes(const Tensor& tensor) {
  const bool is_float = tensor.dtype <= DType::kBFloat16;
  return tensor.size_in_bytes() <= (is_float ? kMaxCheckedFloatBytes : kMaxCheckedIntegerBytes);
}

// The small ones as they are, the large ones as inputs of their type.
void add_initializers(const std::vector<Initializer>& initializers, onnx::GraphProto& graph) {
  for (const Initializer& initializer : initializers) {
    onnx::TensorProto tensor = tensor_header(initializer.name, *initializer.values);
    if (decides_shapes(*initializer.values)) {
      tensor.set_raw_data(std::string(contiguous(*initializer.values).text()));
      graph.add_initializer()->Swap(&tensor);
      continue;
    }
    onnx::ValueInfoProto& input = *graph.add_input();
    input.set_name(initializer.name);
    onnx::TypeProto_Tensor& type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(tensor.data_type());
    type.mutable_shape();
    for (const std::int64_t size : tensor.dims())
      type.mutable_shape()->add_dim()->set_dim_value(size);
  }
}

// Of values inside, in the order of their nodes, and of outputs.
std::vector<onnx::ValueInfoProto> all_types(const onnx::GraphProto& graph) {
  std::vector<onnx::ValueInfoProto> types(graph.value_info().begin(), graph.value_info().end());
  types.insert(types.end(), graph.output().begin(), graph.output().end());
  return types;
}

std::string text_of(const onnx::TypeProto_Tensor& type) {
  std::string text =
      onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(type.elem_type()));
  if (!type.has_shape()) return text;
  const auto size_text = [](const onnx::TensorShapeProto_Dimension& dim) {
    if (dim.has_dim_value()) return cat(dim.dim_value());
    return dim.has_dim_param() ? dim.dim_param() : "?";
  };
  return cat(text, "[", join(type.shape().dim(), ", ", size_text), "]");
}

// Whether two types of one value cannot both be true. A size that ONNX knows as a number may be an
// expression with us only if the expression has a symbol that stands for what the run tells.
class Comparison {
 public:
  explicit Comparison(const Graph& graph) {
    std::unordered_set<std::string> symbols;
    for (const Value& input : graph.inputs())
      for (const Dim& dim : input.type().shape.value_or(Shape()))
        for (std::string& symbol : dim.symbols()) symbols.insert(std::move(symbol));
    const auto is_of_inputs = [&](const Dim& dim) {
      return std::ranges::all_of(dim.symbols(),
                                 [&](const std::string& name) { return symbols.contains(name); });
    };
    for (const Node& node : graph.nodes())
      for (const Value& output : node.outputs())
        for (const Dim& dim : output.type().shape.value_or(Shape()))
          if (!dim.is_constant() && is_of_inputs(dim)) free_.insert(dim.text());
  }

  bool contradicts(const onnx::TypeProto_Tensor& ours, const onnx::TypeProto_Tensor& theirs) const {
    if (theirs.elem_type() != 0 && ours.elem_type() != theirs.elem_type()) return true;
    if (!ours.has_shape() || !theirs.has_shape()) return false;
    if (ours.shape().dim_size() != theirs.shape().dim_size()) return true;
    for (int i = 0; i < ours.shape().dim_size(); ++i)
      if (contradicts(ours.shape().dim(i), theirs.shape().dim(i))) return true;
    return false;
  }

 private:
  bool contradicts(const onnx::TensorShapeProto_Dimension& ours,
                   const onnx::TensorShapeProto_Dimension& theirs) const {
    if (!theirs.has_dim_value()) return false;
    if (ours.has_dim_value()) return ours.dim_value() != theirs.dim_value();
    return free_.contains(ours.dim_param());
  }

  std::unordered_set<std::string> free_;  // expressions of the inputs' symbols alone
};

void compare(const Graph& graph, const std::vector<onnx::ValueInfoProto>& ours,
             const std::vector<onnx::ValueInfoProto>& theirs) {
  std::unordered_map<std::string, const onnx::TypeProto*> found;
  for (const onnx::ValueInfoProto& value : theirs) found[value.name()] = &value.type();
  const Comparison comparison(graph);
  std::string differences;
  int count = 0;
  for (const onnx::ValueInfoProto& value : ours) {
    const onnx::TypeProto* type = found[value.name()];
    if (!type || !type->has_tensor_type()) continue;
    if (!comparison.contradicts(value.type().tensor_type(), type->tensor_type())) continue;
    if (++count > kShownDifferences) break;  // one leads to the next
    differences +=
        cat("\n  ", printable(value.name()), "  ours ", text_of(value.type().tensor_type()),
            ", ONNX's ", text_of(type->tensor_type()));
  }
  if (!differences.empty())
    fail(Error::kInternal, "ONNX infers other types than we do:", differences);
}

// That ONNX knows the operators of, as we are built with it.
int newest_opset() {
  return onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
}

// What we say of sizes, put aside so that ONNX finds its own.
void forget_types(onnx::GraphProto& graph) {
  graph.clear_value_info();
  for (onnx::ValueInfoProto& output : *graph.mutable_output())
    output.mutable_type()->mutable_tensor_type()->clear_shape();
}

}  // namespace

int validate_onnx(const Graph& graph, const OnnxOptions& options) {
  OnnxOptions with_types = options;
  with_types.written_types = WrittenTypes::kAll;
  with_types.opset = std::min(options.opset, newest_opset());
  Translation translation = translate(graph, with_types);
  onnx::ModelProto& model = translation.model;
  const std::vector<onnx::ValueInfoProto> ours = all_types(model.graph());
  add_initializers(translation.initializers, *model.mutable_graph());
  if (with_types.opset < options.opset) stand_in_for_newer(*model.mutable_graph());
  try {
    onnx::checker::check_model(model);
    forget_types(*model.mutable_graph());
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                       onnx::ShapeInferenceOptions(true, 1, true));
  } catch (const std::exception& error) {
    fail(Error::kInternal, "ONNX rejects the model: ", error.what());
  }
  compare(graph, ours, all_types(model.graph()));
  return with_types.opset;
}

}  // namespace voxport
