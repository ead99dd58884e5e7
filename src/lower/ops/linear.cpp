#include "base/tensor_math.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// A matrix the other way round; a constant without a node.
Value turned(const Value& matrix, Builder& g) {
  if (const Tensor* constant = matrix.constant())
    return g.constant(matrix.name(), permuted(*constant, {1, 0}));
  return voxport::transpose(matrix, {1, 0});
}

}  // namespace

// aten.linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor
Item linear(const Call& call, Builder& g) {
  const Value x = call.tensor("input");
  const Value weight = call.tensor("weight");
  const Value bias = call.tensor_or_none("bias");
  if (weight.rank() == 1) return voxport::matmul(x, weight);
  if (x.rank() == 2 && bias && bias.rank() == 1)
    return g.node("Gemm", {x, weight, bias}, {{"transB", std::int64_t{1}}});
  const Value product = voxport::matmul(x, turned(weight, g));
  return bias ? product + bias : product;
}

// aten.matmul(Tensor self, Tensor other) -> Tensor
Item matmul(const Call& call, Builder&) {
  const std::string& other = call.arguments()[1].first;
  return voxport::matmul(call.tensor("self"), call.tensor(other));
}

// aten.addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
Item addmm(const Call& call, Builder& g) {
  return g.node("Gemm", {call.tensor("mat1"), call.tensor("mat2"), call.tensor("self")},
                {{"alpha", call.real("alpha")}, {"beta", call.real("beta")}});
}

// aten.embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool
//   scale_grad_by_freq=False, bool sparse=False) -> Tensor
Item embedding(const Call& call, Builder&) {
  return gather(call.tensor("weight"), call.tensor("indices"), 0);
}

}  // namespace voxport::ops
