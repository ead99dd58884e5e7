#include "onnx/proto.h"

#include "base/fail.h"

namespace voxport {

onnx::ModelProto parse_model(Bytes bytes) {
  onnx::ModelProto model;
  if (bytes.size() > INT32_MAX ||
      !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    fail(Error::kCorrupt, "the file is not an ONNX model");
  for (const onnx::TensorProto& tensor : model.graph().initializer())
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
      fail(Error::kUnsupported, "weights in other files: the nodes cannot be looked into");
  return model;
}

}  // namespace voxport
