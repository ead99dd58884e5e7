#include "onnx/noise_copy.h"

#include <vector>

#include "base/text.h"
#include "onnx/messages.h"

namespace voxport {
namespace {

bool draws_noise(const NodeProto& node) {
  return node.op_type == "RandomNormalLike" && node.domain.empty();
}

float number_in(const NodeProto& node, std::string_view name, float otherwise) {
  for (const AttributeProto& attribute : node.attribute)
    if (attribute.name == name) return attribute.f.value_or(0);
  return otherwise;
}

// Collects the nodes of the copy.
class NoiseTaker {
 public:
  explicit NoiseTaker(GraphProto& graph) : graph_(graph) {
    add_int64("start_0", 0);
    add_int64("axis", 0);
  }

  void keep(const NodeProto& node) { nodes_.push_back(node); }

  // noise[start, start + size), in the shape of what the node was to be like. The next starts
  // there.
  void take(const NodeProto& drawing) {
    const int i = count_++;
    add("Shape", {drawing.input[0]}, name("shape_", i));
    add("ReduceProd", {name("shape_", i)}, name("size_", i));
    add("Add", {name("start_", i), name("size_", i)}, name("start_", count_));
    add("Slice", {kNoiseInput, name("start_", i), name("start_", count_), name("axis")},
        name("part_", i));
    add("Reshape", {name("part_", i), name("shape_", i)}, name("normal_", i));
    add_float(cat("scale_", i), number_in(drawing, "scale", 1));
    add("Mul", {name("normal_", i), name("scale_", i)}, name("scaled_", i));
    add_float(cat("mean_", i), number_in(drawing, "mean", 0));
    add("Add", {name("scaled_", i), name("mean_", i)}, drawing.output[0]);
  }

  void finish() {
    graph_.node.swap(nodes_);
    graph_.input.emplace_back()
        .make_tensor(kNoiseInput, TensorProto::kFloat)
        .shape.emplace()
        .dim.emplace_back()
        .value = kNoiseInput;
  }

  int count() const { return count_; }

 private:
  template <class... Parts>
  static std::string name(const Parts&... parts) {
    return cat(kNoiseInput, "/", parts...);
  }

  void add(const char* op, const std::vector<std::string>& inputs, const std::string& output) {
    NodeProto& node = nodes_.emplace_back();
    node.op_type = op;
    node.name = name(op, "_", nodes_.size());
    node.input = inputs;
    node.output.push_back(output);
  }

  void add_int64(std::string_view part, std::int64_t value) {
    TensorProto& tensor = graph_.initializer.emplace_back();
    tensor.name = name(part);
    tensor.data_type = TensorProto::kInt64;
    tensor.dims.push_back(1);
    tensor.int64_data.push_back(value);
  }

  void add_float(std::string_view part, float value) {
    TensorProto& tensor = graph_.initializer.emplace_back();
    tensor.name = name(part);
    tensor.data_type = TensorProto::kFloat;
    tensor.float_data.push_back(value);
  }

  GraphProto& graph_;
  std::vector<NodeProto> nodes_;
  int count_ = 0;
};

}  // namespace

std::string noise_copy(Bytes bytes) {
  ModelProto model = parse_model(bytes);
  GraphProto& graph = *model.graph;
  NoiseTaker taker(graph);
  for (const NodeProto& node : graph.node) {
    if (draws_noise(node)) {
      taker.take(node);
    } else {
      taker.keep(node);
    }
  }
  if (taker.count() == 0) return "";
  taker.finish();
  return bytes_of(model);
}

}  // namespace voxport
