#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

Value filled(Builder& g, const std::vector<std::int64_t>& shape, double value, DType dtype) {
  return expand(g.scalar(value, dtype), g.int64s(shape));
}

}  // namespace

// aten.layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None,
//   float eps=1e-05, bool cudnn_enable=True) -> Tensor
Item layer_norm(const Call& call, Builder& g) {
  const Value x = call.tensor("input");
  const std::vector<std::int64_t> shape = call.integers("normalized_shape");
  Value weight = call.tensor_or_none("weight");
  if (!weight) weight = filled(g, shape, 1, x.dtype());
  std::vector<Value> inputs = {x, weight};
  if (const Value bias = call.tensor_or_none("bias")) inputs.push_back(bias);
  return g.node(
      "LayerNormalization", inputs,
      {{"axis", -static_cast<std::int64_t>(shape.size())}, {"epsilon", call.real("eps")}});
}

}  // namespace voxport::ops
