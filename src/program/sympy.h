// The sizes that torch.export writes: expressions of SymPy, as its printer or its repr has them.
//
//   2*s1 - 1      (s0 - 1)//2 + 1      Max(1, s0)                       up to PyTorch 2.5
//   Add(Mul(Integer(2), Symbol('s1', positive=True, integer=True)), Integer(-1))     since
#pragma once

#include <optional>
#include <string_view>

#include "graph/dim.h"

namespace voxport {

// The size, or nothing for one that a Dim cannot say (a comparison, a square root). Fails with
// kCorrupt where the text is no expression, and with kUnsupported where its numbers have more than
// 63 bits.
std::optional<Dim> parse_sympy(std::string_view text);

// Whether the text is an expression that only names symbols, numbers and functions that sizes are
// known to be made of. PyTorch has Python evaluate these texts: nothing else may stand in them.
bool is_known_sympy(std::string_view text);

}  // namespace voxport
