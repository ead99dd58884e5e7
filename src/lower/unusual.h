// Tensors that are not plain: complex ones, whose last axis holds two parts, and nested ones, of
// which only some places count. Most operators refuse them; table.h tells which do not.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lower/lowering.h"

namespace voxport {

using NamedItems = std::vector<std::pair<std::string, Item>>;

// Whether there is one among the arguments.
bool has_complex(const NamedItems& arguments);
bool has_nested(const NamedItems& arguments);

enum class Part { kReal, kImaginary };

// The arguments with one part of each complex tensor in its place. Real terms of a sum, and numbers
// that fill or pad, have no imaginary part.
NamedItems part_of(Lowering& lowering, std::string_view name, const NamedItems& arguments,
                   Part part);

// What an operator gave for both parts, as one: tensors become complex, also those in lists;
// everything else is what the real part gave.
Item joined_parts(Lowering& lowering, const Item& real, const Item& imaginary);

// The elements of a complex tensor as pairs of real ones, along a last axis.
Tensor as_pairs(const Tensor& complex);

bool is_complex(DType dtype);

}  // namespace voxport
