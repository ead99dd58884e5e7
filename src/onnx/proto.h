// A model as protobuf has it, for copies with small changes.
#pragma once

#include <onnx/onnx_pb.h>

#include "base/blob.h"

namespace voxport {

// Fails with kCorrupt when the bytes are no model, and with kUnsupported when weights lie in other
// files, which a copy would not find.
onnx::ModelProto parse_model(Bytes bytes);

}  // namespace voxport
