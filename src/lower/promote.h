// The element type in which PyTorch computes. Tensors outrank those without axes, which outrank
// Python's numbers; a lower rank counts only by being of a higher category (bool, int, float,
// complex), and a complex one of a lower rank leaves floats their precision: float32 with a
// complex128 that has no axes is complex64.
#pragma once

#include <span>
#include <vector>

#include "lower/item.h"

namespace voxport {

// Of two tensors of the same rank: torch.promote_types. Fails with kUnsupported for types that do
// not mix.
DType promote_types(DType a, DType b);

// complex64 of float32, and back: the type of the two parts. bfloat16 has no complex type of its
// own, and becomes complex64.
DType complex_of(DType part);
DType part_of(DType complex);

// Of what takes part in one operation: torch.result_type. Requires tensors and numbers.
DType result_type(std::span<const Item> operands);

bool is_floating(DType dtype);
bool is_integral(DType dtype);  // bool excepted

// The type of a result of division, of exp() and their like: float32 for ints and bools.
inline DType floating(DType dtype) { return is_floating(dtype) ? dtype : DType::kFloat32; }

}  // namespace voxport
