// infer_types(): what ONNX's own shape inference finds for the values inside of a model.
#pragma once

#include "onnx/messages.h"
#include "onnx/tensors.h"

namespace voxport {

// Adds to the model's value_info, and that of graphs inside, what ONNX infers; what the model says
// already stays. Asks for a model that one trusts. `tensors` has the values that shapes depend on.
// Leaves the model as it is when ONNX refuses it, or its opset is newer than the ONNX that we are
// built with.
void infer_types(ModelProto& model, TensorSource& tensors);

}  // namespace voxport
