// Products of matrices, for every operator that needs one. ONNX Runtime multiplies floats, int32
// and int64; other ints go through int32, whose lower bits are theirs.
#pragma once

#include "graph/graph.h"

namespace voxport::ops {

// A matrix transposed; a constant is transposed without a node.
Value turned(const Value& matrix);

// The matrices along the last two axes, transposed. Requires two axes or more.
Value last_two_swapped(const Value& x);

// torch.matmul of two tensors of one type.
Value product(const Value& a, const Value& b);

// x * weight^T + bias, over the last axis of x. The weight is [out, in], or [in]; the bias may be
// absent.
Value affine(const Value& x, const Value& weight, const Value& bias);

}  // namespace voxport::ops
