// The parts of inspect() that only ONNX models have.
#pragma once

#include <filesystem>

#include <voxport/inspect.h>

#include "base/blob.h"
#include "onnx/read.h"

namespace voxport {

// Whether the file is an ONNX model, by its first bytes.
bool is_onnx(const Blob& file);

// The model with what it says of itself, and no more. Asks for is_onnx().
OnnxModel open_onnx(const Blob& file, const std::filesystem::path& path);

// All but the tensors.
void describe_onnx(const OnnxModel& model, Inspection& inspection);

// The type of an initializer as TensorInfo has it: "float32", "string".
std::string dtype_text(const Value& initializer);

}  // namespace voxport
