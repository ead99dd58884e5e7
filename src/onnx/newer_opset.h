// Models in the words of opsets newer than 17, which our graphs speak.
#pragma once

#include "onnx/messages.h"

namespace voxport {

// Says in a newer opset what changed since opset 17: attributes that became inputs, that are
// required now, or have other names. Graphs inside of nodes are included. What is said in that
// opset already stays as it is.
void say_in_newer_opset(GraphProto& graph, int opset);

// Puts operators of opset 17 in place of newer ones, which take and give the same types and shapes:
// a model for ONNX's checker and shape inference, where the ONNX that we are built with is older.
void stand_in_for_newer(GraphProto& graph);

}  // namespace voxport
