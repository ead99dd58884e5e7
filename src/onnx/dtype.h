// Element types as ONNX numbers them (TensorProto.DataType).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/dtype.h"

namespace voxport {

// The number of an element type. Fails with kUnsupported for those that models of IR version 8
// cannot hold: quantised ones, bits, float8 and smaller.
std::int32_t onnx_dtype(DType dtype);

// The element type of a number, float8 included; nothing for text and for numbers that we do not
// know.
std::optional<DType> dtype_of_onnx(std::int32_t number);

// Whether that attribute of that operator holds an element type: Cast's `to`. A graph says it as
// text ("int64"), ONNX as a number.
bool holds_dtype(std::string_view op, std::string_view attribute);

}  // namespace voxport
