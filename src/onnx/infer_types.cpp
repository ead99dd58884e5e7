#include "onnx/infer_types.h"

#include <exception>
#include <new>
#include <string>
#include <unordered_set>
#include <utility>

#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

namespace voxport {
namespace {

// Sizes, axes and indices decide shapes, and are small; of floats only the likes of Resize's
// scales.
constexpr std::uint64_t kMaxIntegerBytes = 1 << 16;
constexpr std::uint64_t kMaxFloatBytes = 1 << 10;

// Where constants go that are too large to be given to ONNX.
constexpr const char* kLargeDomain = "voxport.large";

bool decides_shapes(const OnnxTensor& tensor) {
  if (!tensor.foreign.empty()) return false;
  const bool is_float = tensor.values.dtype <= DType::kBFloat16;
  return tensor.values.size_in_bytes() <= (is_float ? kMaxFloatBytes : kMaxIntegerBytes);
}

void set_type(const onnx::TensorProto& tensor, onnx::TypeProto& type) {
  type.mutable_tensor_type()->set_elem_type(tensor.data_type());
  onnx::TensorShapeProto& shape = *type.mutable_tensor_type()->mutable_shape();
  for (const std::int64_t size : tensor.dims()) shape.add_dim()->set_dim_value(size);
}

// A copy that ONNX can work with: small tensors with their values, large ones as inputs.
class Preparation {
 public:
  explicit Preparation(TensorSource& tensors) : tensors_(tensors) {}

  void prepare(onnx::GraphProto& graph) {
    if (graph.name().empty()) graph.set_name("graph");
    prepare_initializers(graph);
    for (onnx::NodeProto& node : *graph.mutable_node()) prepare_node(node, graph);
  }

 private:
  void prepare_initializers(onnx::GraphProto& graph) {
    std::unordered_set<std::string> inputs;
    for (const onnx::ValueInfoProto& input : graph.input()) inputs.insert(input.name());
    google::protobuf::RepeatedPtrField<onnx::TensorProto> small;
    for (onnx::TensorProto& tensor : *graph.mutable_initializer()) {
      if (give_values(tensor)) {
        small.Add()->Swap(&tensor);
      } else if (!inputs.contains(tensor.name())) {
        onnx::ValueInfoProto& input = *graph.add_input();
        input.set_name(tensor.name());
        set_type(tensor, *input.mutable_type());
      }
    }
    graph.mutable_initializer()->Swap(&small);
  }

  void prepare_node(onnx::NodeProto& node, onnx::GraphProto& graph) {
    if (node.domain() == "ai.onnx") node.clear_domain();
    for (int i = node.attribute_size(); i-- > 0;) {
      onnx::AttributeProto& attribute = *node.mutable_attribute(i);
      if (attribute.has_g()) prepare(*attribute.mutable_g());
      if (!attribute.has_t() || give_values(*attribute.mutable_t())) continue;
      if (node.op_type() == "Constant" && node.output_size() == 1) {
        onnx::ValueInfoProto& value = *graph.add_value_info();
        value.set_name(node.output(0));
        set_type(attribute.t(), *value.mutable_type());
        node.set_domain(kLargeDomain);
      }
      node.mutable_attribute()->DeleteSubrange(i, 1);
    }
  }

  bool give_values(onnx::TensorProto& proto) {
    const OnnxTensor tensor = tensors_.read(proto);
    proto.clear_doc_string();
    if (!decides_shapes(tensor)) return false;
    proto.set_raw_data(std::string(contiguous(tensor.values).text()));
    return true;
  }

  TensorSource& tensors_;
};

// Whether ONNX knows all of its opsets, which then have the names that ONNX gives them.
bool settle_opsets(onnx::ModelProto& model) {
  const auto& known = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  for (onnx::OperatorSetIdProto& opset : *model.mutable_opset_import()) {
    if (opset.domain() == "ai.onnx") opset.clear_domain();
    const auto found = known.find(opset.domain());
    if (found != known.end() && opset.version() > found->second.second) return false;
  }
  onnx::OperatorSetIdProto& large = *model.add_opset_import();
  large.set_domain(kLargeDomain);
  large.set_version(1);
  return true;
}

// The types that were found, graph by graph; nodes and their order are the same in both.
void take_types(onnx::GraphProto& from, onnx::GraphProto& to) {
  to.mutable_value_info()->Swap(from.mutable_value_info());
  to.mutable_output()->Swap(from.mutable_output());
  for (int i = 0; i < to.node_size(); ++i) {
    for (onnx::AttributeProto& attribute : *to.mutable_node(i)->mutable_attribute()) {
      if (!attribute.has_g()) continue;
      for (onnx::AttributeProto& found : *from.mutable_node(i)->mutable_attribute())
        if (found.name() == attribute.name() && found.has_g())
          take_types(*found.mutable_g(), *attribute.mutable_g());
    }
  }
}

}  // namespace

void infer_types(onnx::ModelProto& model, TensorSource& tensors) {
  onnx::ModelProto inferred = model;
  if (!settle_opsets(inferred)) return;
  inferred.set_ir_version(onnx::IR_VERSION);
  Preparation(tensors).prepare(*inferred.mutable_graph());
  try {
    // What the checker takes, inference can walk through.
    onnx::checker::check_model(inferred);
    onnx::shape_inference::InferShapes(inferred, onnx::OpSchemaRegistry::Instance(),
                                       onnx::ShapeInferenceOptions(false, 0, true));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return;  // what the model says of itself must do
  }
  take_types(*inferred.mutable_graph(), *model.mutable_graph());
}

}  // namespace voxport
