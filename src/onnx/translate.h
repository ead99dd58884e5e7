// translate(): a graph in ONNX's messages, without its weights.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "onnx/messages.h"
#include "onnx/options.h"

namespace voxport {

// A constant of the graph, under the name it has in the model.
struct Initializer {
  std::string name;
  const Tensor* values;
};

struct Translation {
  ModelProto model;                       // all but the initializers
  std::vector<Initializer> initializers;  // in order of first use
};

// Good for as long as the graph lives. Values keep their names, but for outputs of the graph, whose
// values take the outputs' names, and values that had those names before. An output that is an
// input, a constant, or a second name for another output is made by an Identity.
// Fails with kUsage when the opset is none of ours or names of inputs and outputs clash, and with
// kUnsupported when an element type has no place in ONNX.
Translation translate(const Graph& graph, const OnnxOptions& options);

// The message of a tensor, without its values.
TensorProto tensor_header(const std::string& name, const Tensor& tensor);

}  // namespace voxport
