// Complex tensors, whose last axis, which the program does not see, holds two parts, taken apart
// and joined again: for operators that compute both parts alike.
#pragma once

#include <functional>
#include <optional>

#include "lower/memory.h"
#include "lower/table.h"

namespace voxport {

enum class Part { kReal, kImaginary };

// The arguments with one part of each complex tensor in its place. Real terms of a sum, and numbers
// that fill or pad, have no imaginary part.
NamedItems part_of(Memory& memory, const Operator& row, const NamedItems& arguments, Part part);

// The product of complex tensors, of the products of their parts, which `multiply` gives. The
// tensors are the first two arguments, or one or two in a list of the name "tensors".
Item product_of_parts(Memory& memory, const NamedItems& arguments,
                      const std::function<Item(NamedItems)>& multiply);

// The element type of what an operator makes that fills a tensor, where that is complex: by its
// argument `dtype`, by the number it is filled with, by the tensor it is made like.
std::optional<DType> complex_type_of_filled(const NamedItems& arguments);
// Such a tensor, of what `fill` gives for each part.
Item filled_by_parts(Memory& memory, const NamedItems& arguments, DType dtype,
                     const std::function<Item(NamedItems)>& fill);

// The results of an operator for both parts as one: tensors become complex, also those in lists;
// everything else is the result for the real part.
Item joined_parts(Memory& memory, const Item& real, const Item& imaginary);

// The elements of a complex tensor as pairs of real ones, along a last axis.
Tensor as_pairs(const Tensor& complex);

bool is_complex(DType dtype);

}  // namespace voxport
