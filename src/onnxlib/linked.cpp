#include "onnxlib/functions.h"

namespace voxport {

const VoxportOnnxFunctions& onnx_functions() { return *voxport_onnx_functions(); }

}  // namespace voxport
