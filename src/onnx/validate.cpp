#include "onnx/validate.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/fail.h"
#include "base/join.h"
#include "onnx/dtype.h"
#include "onnx/newer_opset.h"
#include "onnx/translate.h"
#include "onnxlib/onnxlib.h"

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
void add_initializers(const std::vector<Initializer>& initializers, GraphProto& graph) {
  for (const Initializer& initializer : initializers) {
    TensorProto tensor = tensor_header(initializer.name, *initializer.values);
    if (decides_shapes(*initializer.values)) {
      tensor.raw_data = std::string(contiguous(*initializer.values).text());
      graph.initializer.push_back(std::move(tensor));
      continue;
    }
    graph.input.push_back(info_of(initializer.name, tensor));
  }
}

// Of values inside, in the order of their nodes, and of outputs.
std::vector<ValueInfoProto> all_types(const GraphProto& graph) {
  std::vector<ValueInfoProto> types(graph.value_info);
  types.insert(types.end(), graph.output.begin(), graph.output.end());
  return types;
}

std::string text_of(const TypeProto::Tensor& type) {
  const auto dtype = dtype_of_onnx(type.elem_type);
  std::string text = dtype ? std::string(name_of(*dtype)) : cat("type ", type.elem_type);
  if (!type.shape) return text;
  const auto size_text = [](const TensorShapeProto::Dimension& dim) {
    if (dim.dim_value()) return cat(*dim.dim_value());
    return dim.dim_param() ? *dim.dim_param() : "?";
  };
  return cat(text, "[", join(type.shape->dim, ", ", size_text), "]");
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

  bool contradicts(const TypeProto::Tensor& ours, const TypeProto::Tensor& theirs) const {
    if (theirs.elem_type != 0 && ours.elem_type != theirs.elem_type) return true;
    if (!ours.shape || !theirs.shape) return false;
    if (ours.shape->dim.size() != theirs.shape->dim.size()) return true;
    for (std::size_t i = 0; i < ours.shape->dim.size(); ++i)
      if (contradicts(ours.shape->dim[i], theirs.shape->dim[i])) return true;
    return false;
  }

 private:
  bool contradicts(const TensorShapeProto::Dimension& ours,
                   const TensorShapeProto::Dimension& theirs) const {
    if (!theirs.dim_value()) return false;
    if (ours.dim_value()) return *ours.dim_value() != *theirs.dim_value();
    return ours.dim_param() && free_.contains(*ours.dim_param());
  }

  std::unordered_set<std::string> free_;  // expressions of the inputs' symbols alone
};

void compare(const Graph& graph, const std::vector<ValueInfoProto>& ours,
             const std::vector<ValueInfoProto>& theirs) {
  std::unordered_map<std::string, const TypeProto::Tensor*> found;
  for (const ValueInfoProto& value : theirs) found[value.name] = value.tensor_type();
  const Comparison comparison(graph);
  std::string differences;
  int count = 0;
  for (const ValueInfoProto& value : ours) {
    const TypeProto::Tensor* const our_type = value.tensor_type();
    const TypeProto::Tensor* const type = found[value.name];
    if (!our_type || !type || !comparison.contradicts(*our_type, *type)) continue;
    if (++count > kShownDifferences) break;  // one leads to the next
    differences += cat("\n  ", printable(value.name), "  ours ", text_of(*our_type), ", ONNX's ",
                       text_of(*type));
  }
  if (!differences.empty())
    fail(Error::kInternal, "ONNX infers other types than we do:", differences);
}

// What we say of sizes, put aside so that ONNX finds its own.
void forget_types(GraphProto& graph) {
  graph.value_info.clear();
  for (ValueInfoProto& output : graph.output)
    if (TypeProto::Tensor* const type = output.tensor_type()) type->shape.reset();
}

[[noreturn]] void fail_as_rejected(const std::string& complaint) {
  fail(Error::kInternal, "ONNX rejects the model: ", complaint);
}

}  // namespace

int validate_onnx(const Graph& graph, const OnnxOptions& options) {
  OnnxOptions with_types = options;
  with_types.written_types = WrittenTypes::kAll;
  with_types.opset = std::min(options.opset, newest_version(""));
  Translation translation = translate(graph, with_types);
  ModelProto& model = translation.model;
  const std::vector<ValueInfoProto> ours = all_types(*model.graph);
  add_initializers(translation.initializers, *model.graph);
  if (with_types.opset < options.opset) stand_in_for_newer(*model.graph);
  if (const auto complaint = checker_complaint(bytes_of(model))) fail_as_rejected(*complaint);
  forget_types(*model.graph);
  const InferredModel inferred = infer_shapes(bytes_of(model), Inference::kStrict);
  if (inferred.complaint) fail_as_rejected(*inferred.complaint);
  const auto found = read_message<ModelProto>(as_bytes(inferred.bytes));
  compare(graph, ours, all_types(*found.graph));
  return with_types.opset;
}

}  // namespace voxport
