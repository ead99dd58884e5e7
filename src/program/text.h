// A program as text, for tests:
//
//   x: f32[b, 192, t]
//   w: f32[384, 192, 5]
//   y = aten.convolution.default(x, w, None, [1], [4], [2], False, [0], 1)
//   a, b = aten.max.dim(y, 2, keepdim=True)
//   return a, b
//
// The lines are Python, where aten is torch.ops.aten: what PyTorch gives for them can be recorded
// by running them. Numbers are as in Python, with inf and nan; float32, int64, bool and so on are
// element types.
#pragma once

#include <string_view>

#include "program/program.h"

namespace voxport {

// Fails with kCorrupt, with the line, where the text is no program.
Program parse_program(std::string_view text);

}  // namespace voxport
