// The element types that ONNX allows for the inputs of its operators.
#pragma once

#include <span>
#include <string_view>

#include "graph/graph.h"

namespace voxport {

// Fails with kMismatch, naming the input and its type, where the operator does not take inputs of
// these types, or not together. bfloat16 passes wherever float32 does: a pass widens it. Nothing is
// said of operators that infer() does not know, nor of how many inputs there are.
void check_types(std::string_view op, std::span<const Value> inputs, std::string_view name);

// Whether an operator takes an element type as its input `i`, whatever the others are.
bool takes_type(std::string_view op, std::size_t i, DType dtype);
// Whether two inputs of an operator must be of one type.
bool share_type(std::string_view op, std::size_t i, std::size_t j);

}  // namespace voxport
