// Complex tensors, whose last axis, which the program does not see, holds two parts, taken apart
// and joined again: for operators that compute both parts alike.
#pragma once

#include "lower/memory.h"
#include "lower/table.h"

namespace voxport {

enum class Part { kReal, kImaginary };

// The arguments with one part of each complex tensor in its place. Real terms of a sum, and numbers
// that fill or pad, have no imaginary part.
NamedItems part_of(Memory& memory, const Operator& row, const NamedItems& arguments, Part part);

// The results of an operator for both parts as one: tensors become complex, also those in lists;
// everything else is the result for the real part.
Item joined_parts(Memory& memory, const Item& real, const Item& imaginary);

// The elements of a complex tensor as pairs of real ones, along a last axis.
Tensor as_pairs(const Tensor& complex);

bool is_complex(DType dtype);

}  // namespace voxport
