#include "onnx/infer_types.h"

#include <exception>
#include <new>
#include <string>
#include <unordered_set>
#include <utility>

#include "onnxlib/onnxlib.h"

namespace voxport {
namespace {

// Sizes, axes and indices decide shapes, and are small; of floats only the likes of Resize's
// scales.
constexpr std::uint64_t kMaxIntegerBytes = 1 << 16;
constexpr std::uint64_t kMaxFloatBytes = 1 << 10;

// An older libonnx knows no newer one; for types it does not matter.
constexpr std::int64_t kCheckedIrVersion = 8;

// Where constants go that are too large to be given to ONNX.
constexpr const char* kLargeDomain = "voxport.large";

bool decides_shapes(const OnnxTensor& tensor) {
  if (!tensor.foreign.empty()) return false;
  const bool is_float = tensor.values.dtype <= DType::kBFloat16;
  return tensor.values.size_in_bytes() <= (is_float ? kMaxFloatBytes : kMaxIntegerBytes);
}

// A copy that ONNX can work with: small tensors with their values, large ones as inputs.
class Preparation {
 public:
  explicit Preparation(TensorSource& tensors) : tensors_(tensors) {}

  void prepare(GraphProto& graph) {
    if (graph.name.empty()) graph.name = "graph";
    prepare_initializers(graph);
    for (NodeProto& node : graph.node) prepare_node(node, graph);
  }

 private:
  void prepare_initializers(GraphProto& graph) {
    std::unordered_set<std::string> inputs;
    for (const ValueInfoProto& input : graph.input) inputs.insert(input.name);
    std::vector<TensorProto> small;
    for (TensorProto& tensor : graph.initializer) {
      if (give_values(tensor)) {
        small.push_back(std::move(tensor));
      } else if (!inputs.contains(tensor.name)) {
        graph.input.push_back(info_of(tensor.name, tensor));
      }
    }
    graph.initializer.swap(small);
  }

  void prepare_node(NodeProto& node, GraphProto& graph) {
    if (node.domain == "ai.onnx") node.domain.clear();
    for (std::size_t i = node.attribute.size(); i-- > 0;) {
      AttributeProto& attribute = node.attribute[i];
      if (attribute.g) prepare(*attribute.g);
      if (!attribute.t || give_values(*attribute.t)) continue;
      if (node.op_type == "Constant" && node.output.size() == 1) {
        graph.value_info.push_back(info_of(node.output[0], *attribute.t));
        node.domain = kLargeDomain;
      }
      node.attribute.erase(node.attribute.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  bool give_values(TensorProto& proto) {
    const OnnxTensor tensor = tensors_.read(proto);
    proto.doc_string.clear();
    if (!decides_shapes(tensor)) return false;
    proto.raw_data = std::string(contiguous(tensor.values).text());
    return true;
  }

  TensorSource& tensors_;
};

// Whether ONNX knows all of its opsets, which then have the names that ONNX gives them.
bool settle_opsets(ModelProto& model) {
  for (OperatorSetIdProto& opset : model.opset_import) {
    if (opset.domain == "ai.onnx") opset.domain.clear();
    const int newest = newest_version(opset.domain);
    if (newest != 0 && opset.version > newest) return false;
  }
  OperatorSetIdProto& large = model.opset_import.emplace_back();
  large.domain = kLargeDomain;
  large.version = 1;
  return true;
}

// The types that were found, graph by graph; nodes and their order are the same in both.
void take_types(GraphProto& from, GraphProto& to) {
  to.value_info.swap(from.value_info);
  to.output.swap(from.output);
  for (std::size_t i = 0; i < to.node.size(); ++i) {
    for (AttributeProto& attribute : to.node[i].attribute) {
      if (!attribute.g) continue;
      for (AttributeProto& found : from.node[i].attribute)
        if (found.name == attribute.name && found.g) take_types(*found.g, *attribute.g);
    }
  }
}

}  // namespace

void infer_types(ModelProto& model, TensorSource& tensors) {
  ModelProto inferred = model;
  if (!settle_opsets(inferred)) return;
  inferred.ir_version = kCheckedIrVersion;
  Preparation(tensors).prepare(*inferred.graph);
  // What the checker takes, inference can walk through.
  const std::string bytes = bytes_of(inferred);
  if (checker_complaint(bytes)) return;  // what the model says of itself must do
  const InferredModel answer = infer_shapes(bytes, Inference::kLenient);
  if (answer.complaint) return;
  inferred = read_message<ModelProto>(as_bytes(answer.bytes));
  take_types(*inferred.graph, *model.graph);
}

}  // namespace voxport
