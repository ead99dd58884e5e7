// The element types that ONNX Runtime has kernels for on a CPU. ONNX allows more; a node of such a
// type would not load, so it is computed in another one and cast back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/builder.h"

namespace voxport {

// The type to compute `op` in for operands of `dtype`: itself where there is a kernel.
DType compute_type(std::string_view op, DType dtype);

// One node on operands of one type (of Where: behind the condition), in a type that has a kernel.
// What comes out is of the operands' type, or bool where ONNX says so.
Value apply_op(std::string op, std::vector<Value> inputs, Attributes attributes = {});

// As PyTorch casts: floats lose their fraction, ints wrap, what is not 0 is true. The value itself
// where it is of that type. Fails with kUnsupported for types that ONNX does not have.
Value converted(const Value& x, DType dtype);

}  // namespace voxport
