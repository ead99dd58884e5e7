#include "lower/ops/ops.h"

namespace voxport::ops {

// aten.bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor
// y[..., o] is input1[..., i] * weight[o, i, j] * input2[..., j], summed over i and j.
Item bilinear(const Call& call, Builder&) {
  const Value a = voxport::unsqueeze(call.tensor("input1"), {-2, -3});    // [..., 1, 1, i]
  const Value b = voxport::unsqueeze(call.tensor("input2"), {-2});        // [..., 1, j]
  const Value product = squeeze(matmul(a, call.tensor("weight")), {-2});  // [..., o, j]
  const Value y = reduce_sum(product * b, {-1}, false);
  return call.has("bias") ? y + call.tensor("bias") : y;
}

}  // namespace voxport::ops
