// Every operator that can be lowered, one line each.
#pragma once

#include <string_view>

#include "lower/call.h"

namespace voxport {

// What comes out of an operator: a tensor, several as a tuple, a list, a number, None.
using LowerOp = Item (*)(const Call& call, Builder& g);

// The function that lowers "aten.add.Tensor" or, where there is none of that overload, "aten.add";
// null where there is none. Operators that work in place (aten.add_) are lowered by those that do
// not: see is_in_place().
LowerOp find_lowering(std::string_view name, std::string_view overload);

// The function that lowers "aten.mul" where a tensor is complex; null where there is none.
LowerOp find_complex_lowering(std::string_view name);
// Whether an operator does the same to the real and to the imaginary part: aten.reshape.
bool works_on_parts(std::string_view name);
// Whether an operator hands on what it is given, or asks nothing that depends on what kind of
// tensor it is: those that make and take apart containers.
bool hands_on(std::string_view name);
// Whether an operator takes nested tensors.
bool takes_nested(std::string_view name);

// aten.add_ and its like: the result is written to the first argument. Gives aten.add; empty for
// everything else.
std::string_view without_in_place(std::string_view name);

}  // namespace voxport
