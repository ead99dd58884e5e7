#include "base/tensor_math.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// All axes but `dim`; all of them for -1, which is how weight norm is told of no axis.
std::vector<std::int64_t> other_axes(std::size_t rank, std::int64_t dim) {
  const std::size_t kept = dim == -1 ? rank : axis_index(dim, rank);
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < rank; ++i)
    if (i != kept) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

// The length of v over all axes but one, which keep size 1, or over all, which then go.
Value length(const Value& v, std::int64_t pow, std::int64_t dim, Builder& g) {
  const std::vector<std::int64_t> axes = other_axes(v.rank(), dim);
  const Attributes attributes = {{"axes", axes}, {"keepdims", std::int64_t{dim != -1}}};
  if (axes.empty()) return abs(v);
  if (pow == 1) return g.node("ReduceL1", {v}, attributes);
  if (pow == 2) return g.node("ReduceL2", {v}, attributes);
  const auto exponent = static_cast<double>(pow);
  const Value sum =
      reduce_sum(g.node("Pow", {abs(v), g.scalar(exponent, v.dtype())}), axes, dim != -1);
  return g.node("Pow", {sum, g.scalar(1 / exponent, v.dtype())});
}

// Whether g holds one length for each part of v along `dim`, so that both fold to a weight.
bool is_foldable(const Value& v, const Value& g, std::int64_t dim) {
  if (!v.constant() || !g.constant() || v.dtype() != DType::kFloat32 || g.dtype() != v.dtype())
    return false;
  if (dim == -1) return g.constant()->numel() == 1;
  Shape shape(v.rank(), 1);
  const std::size_t kept = axis_index(dim, v.rank());
  shape[kept] = v.shape()[kept];
  return g.shape() == shape;
}

// The values of weights are computed when they are written.
Value folded(const Value& v, const Value& length, Builder& g) {
  const Tensor direction = *v.constant();
  const Tensor lengths = *length.constant();
  return g.constant("weight", computed_tensor(direction.shape, [direction, lengths] {
                      return to_float32(fold_weight_norm(lengths, direction));
                    }));
}

Value weight_of(const Call& call, Builder& g) {
  const Value v = call.tensor("v");
  const Value lengths = call.tensor("g");
  const std::int64_t dim = call.integer("dim");
  if (is_foldable(v, lengths, dim)) return folded(v, lengths, g);
  return v * (lengths / length(v, 2, dim, g));
}

}  // namespace

// aten._weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor
Item weight_norm(const Call& call, Builder& g) { return weight_of(call, g); }

// aten._weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)
Item weight_norm_interface(const Call& call, Builder& g) {
  return std::vector<Value>{weight_of(call, g),
                            length(call.tensor("v"), 2, call.integer("dim"), g)};
}

// aten.norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor
Item norm_except_dim(const Call& call, Builder& g) {
  const std::int64_t pow = call.integer("pow");
  if (pow < 1) call.refuse("a norm of power ", pow, " is not known, expected 1 or more");
  return length(call.tensor("v"), pow, call.integer("dim"), g);
}

}  // namespace voxport::ops
