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

// aten.add_ and its like: the result is written to the first argument. Gives aten.add; empty for
// everything else.
std::string_view without_in_place(std::string_view name);

}  // namespace voxport
