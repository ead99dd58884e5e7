// bfloat16 computed in float32.
#pragma once

#include "graph/graph.h"

namespace voxport {

// op(x) -> Cast(op(Cast(x, float32)), bfloat16), for every operator on bfloat16: ONNX Runtime has
// hardly any of them for a CPU. Each result is rounded to bfloat16, as PyTorch does it, so that
// nothing but the order of sums changes. Constants are widened when they are written. Returns
// whether there was any.
bool widen_bfloat16(Graph& graph);

}  // namespace voxport
