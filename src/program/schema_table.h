// The signatures that schema.cpp reads: one line for each overload, by operator.
#pragma once

#include <span>
#include <string_view>

namespace voxport {

// aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
// Operators are in order of name, their overloads in the order in which TorchScript tries them.
std::span<const std::string_view> schema_lines();

}  // namespace voxport
