// lower_opset(): a graph says the same in an older opset.
#pragma once

#include <string_view>

#include "graph/graph.h"

namespace voxport {

// Rewrites what the opset lacks. Our graphs speak opset 17, Gelu, and where they are lowered for
// opset 18 the operators on bits; what changed since opset 17 is said when a model is written.
// Where ONNX Runtime fuses a form back into one kernel, that form is used.
// Graphs inside of nodes (of If, Loop, Scan) are rewritten alike.
// Fails with kUnsupported, listing every node that the opset cannot say.
void lower_opset(Graph& graph, int opset);

// The first opset, of 13 and later, in which an operator takes inputs of that element type that it
// takes in opset 17.
int opset_of_type(std::string_view op, DType dtype);

}  // namespace voxport
