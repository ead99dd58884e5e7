// validate_onnx(): would ONNX itself agree with what we are about to write?
#pragma once

#include "graph/graph.h"
#include "onnx/options.h"

namespace voxport {

// Runs ONNX's checker over the model that write_onnx() would write, and its shape inference, strict
// and with values where they decide shapes. No weights are read: they take part as inputs of their
// type. Where the opset is newer than the ONNX that we are built with, the model is checked as it
// is in the newest opset that it knows. Returns the opset in which it was checked. Fails with
// kInternal, naming the node, where ONNX refuses the model or finds an element type, a rank or a
// size other than ours.
int validate_onnx(const Graph& graph, const OnnxOptions& options = {});

}  // namespace voxport
