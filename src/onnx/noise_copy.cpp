#include "onnx/noise_copy.h"

#include <vector>

#include "base/text.h"
#include "onnx/proto.h"

namespace voxport {
namespace {

bool draws_noise(const onnx::NodeProto& node) {
  return node.op_type() == "RandomNormalLike" && node.domain().empty();
}

float number_in(const onnx::NodeProto& node, std::string_view name, float otherwise) {
  for (const onnx::AttributeProto& attribute : node.attribute())
    if (attribute.name() == name) return attribute.f();
  return otherwise;
}

// Collects the nodes of the copy.
class NoiseTaker {
 public:
  explicit NoiseTaker(onnx::GraphProto& graph) : graph_(graph) {
    add_int64("start_0", 0);
    add_int64("axis", 0);
  }

  void keep(const onnx::NodeProto& node) { *nodes_.Add() = node; }

  // noise[start, start + size), in the shape of what the node was to be like. The next starts
  // there.
  void take(const onnx::NodeProto& drawing) {
    const int i = count_++;
    add("Shape", {drawing.input(0)}, name("shape_", i));
    add("ReduceProd", {name("shape_", i)}, name("size_", i));
    add("Add", {name("start_", i), name("size_", i)}, name("start_", count_));
    add("Slice", {kNoiseInput, name("start_", i), name("start_", count_), name("axis")},
        name("part_", i));
    add("Reshape", {name("part_", i), name("shape_", i)}, name("normal_", i));
    add_float(cat("scale_", i), number_in(drawing, "scale", 1));
    add("Mul", {name("normal_", i), name("scale_", i)}, name("scaled_", i));
    add_float(cat("mean_", i), number_in(drawing, "mean", 0));
    add("Add", {name("scaled_", i), name("mean_", i)}, drawing.output(0));
  }

  void finish() {
    graph_.mutable_node()->Swap(&nodes_);
    onnx::ValueInfoProto& input = *graph_.add_input();
    input.set_name(kNoiseInput);
    onnx::TypeProto_Tensor& type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    type.mutable_shape()->add_dim()->set_dim_param(kNoiseInput);
  }

  int count() const { return count_; }

 private:
  template <class... Parts>
  static std::string name(const Parts&... parts) {
    return cat(kNoiseInput, "/", parts...);
  }

  void add(const char* op, const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& node = *nodes_.Add();
    node.set_op_type(op);
    node.set_name(name(op, "_", nodes_.size()));
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
  }

  void add_int64(std::string_view part, std::int64_t value) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name(part));
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(1);
    tensor.add_int64_data(value);
  }

  void add_float(std::string_view part, float value) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name(part));
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_float_data(value);
  }

  onnx::GraphProto& graph_;
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes_;
  int count_ = 0;
};

}  // namespace

std::string noise_copy(Bytes bytes) {
  onnx::ModelProto model = parse_model(bytes);
  onnx::GraphProto& graph = *model.mutable_graph();
  NoiseTaker taker(graph);
  for (const onnx::NodeProto& node : graph.node()) {
    if (draws_noise(node)) {
      taker.take(node);
    } else {
      taker.keep(node);
    }
  }
  if (taker.count() == 0) return "";
  taker.finish();
  return model.SerializeAsString();
}

}  // namespace voxport
