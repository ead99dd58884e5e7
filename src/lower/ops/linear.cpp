#include "lower/ops/linear.h"

#include <limits>
#include <optional>

#include "base/tensor_math.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// Notes where one of two sizes that must be equal is dynamic and the other a number.
void note_inner(const Call& call, const Value& a, const Value& b) {
  if (a.rank() == 0 || b.rank() == 0) return;
  const Dim& x = a.dim(-1);
  const Dim& y = b.rank() == 1 ? b.dim(0) : b.dim(-2);
  call.walk().note_fixed(Shape{x}, Shape{y});
}

Value product_of(const Call& call, const Value& a, const Value& b) {
  note_inner(call, a, b);
  if (a.rank() > 2 && b.rank() > 2)
    call.walk().note_fixed(Shape(a.shape().begin(), a.shape().end() - 2),
                           Shape(b.shape().begin(), b.shape().end() - 2));
  return product(a, b);
}

// `x` times the number `name`, unless that is 1.
Value times(const Call& call, const Value& x, std::string_view name) {
  const Number factor = call.number(name);
  if (factor.as_float() == 1) return x;
  return x * call.scopes().value_of(factor, x.dtype());
}

// beta * self + alpha * x. A beta of 0 takes nothing of self, not even its NaNs.
Value added_to_self(const Call& call, const Value& x) {
  const Value scaled = times(call, x, "alpha");
  if (call.number("beta").as_float() == 0) return scaled;
  return times(call, call.tensor("self"), "beta") + scaled;
}

Value outer_product(const Value& a, const Value& b) {
  return voxport::unsqueeze(a, {1}) * voxport::unsqueeze(b, {0});
}

// All axes of length 1, before those of x, up to this rank.
Value with_rank(const Value& x, std::size_t rank) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = x.rank(); i < rank; ++i)
    axes.push_back(static_cast<std::int64_t>(i - x.rank()));
  return axes.empty() ? x : voxport::unsqueeze(x, axes);
}

// The norm of degree p over the last axis.
Value norm_of(const Value& x, double p, bool keepdim, Builder& g) {
  const Attributes last = {{"axes", std::vector<std::int64_t>{-1}},
                           {"keepdims", std::int64_t{keepdim}}};
  if (p == 1) return reduce_sum(abs(x), {-1}, keepdim);
  if (p == 2) return sqrt(reduce_sum(x * x, {-1}, keepdim));
  if (p == std::numeric_limits<double>::infinity()) return g.node("ReduceMax", {abs(x)}, last);
  if (p == -std::numeric_limits<double>::infinity()) return g.node("ReduceMin", {abs(x)}, last);
  if (p == 0) return reduce_sum(cast(greater(abs(x), 0), x.dtype()), {-1}, keepdim);
  const Value powers = reduce_sum(g.node("Pow", {abs(x), g.scalar(p, x.dtype())}), {-1}, keepdim);
  return g.node("Pow", {powers, g.scalar(1 / p, x.dtype())});
}

// |a - b| of all pairs of rows by |a|^2 + |b|^2 - 2ab, which needs no memory for all differences.
Value euclidean_by_product(const Value& a, const Value& b) {
  const Value ab = voxport::matmul(a, last_two_swapped(b));
  const Value aa = reduce_sum(a * a, {-1}, true);
  const Value bb = last_two_swapped(reduce_sum(b * b, {-1}, true));
  return sqrt(maximum(aa + bb - ab * 2, 0));
}

// As PyTorch decides it, where the numbers of rows are known.
bool is_euclidean_by_product(const Call& call, const Value& a, const Value& b) {
  constexpr std::int64_t kFewRows = 25;
  const std::int64_t mode = call.has("compute_mode") ? call.integer("compute_mode") : 0;
  if (mode != 0) return mode == 1;
  const auto is_many = [](const Value& x) {
    return x.dim(-2).constant().value_or(kFewRows + 1) > kFewRows;
  };
  return is_many(a) || is_many(b);
}

}  // namespace

Value turned(const Value& matrix) {
  if (const Tensor* constant = matrix.constant())
    return Builder(matrix.graph()).constant(matrix.name(), permuted(*constant, {1, 0}));
  return voxport::transpose(matrix, {1, 0});
}

Value last_two_swapped(const Value& x) {
  std::vector<std::int64_t> perm;
  for (std::size_t i = 0; i < x.rank(); ++i) perm.push_back(static_cast<std::int64_t>(i));
  std::swap(perm[x.rank() - 1], perm[x.rank() - 2]);
  return voxport::transpose(x, perm);
}

Value product(const Value& a, const Value& b) {
  const DType dtype = a.dtype();
  if (is_floating(dtype) || dtype == DType::kInt32 || dtype == DType::kInt64)
    return voxport::matmul(a, b);
  return cast(voxport::matmul(cast(a, DType::kInt32), cast(b, DType::kInt32)), dtype);
}

Value affine(const Value& x, const Value& weight, const Value& bias) {
  Builder g(x.graph());
  if (weight.rank() == 2 && x.rank() == 2 && bias && bias.rank() == 1 && is_floating(x.dtype()))
    return g.node("Gemm", {x, weight, bias}, {{"transB", std::int64_t{1}}});
  const Value xw = product(x, weight.rank() == 2 ? turned(weight) : weight);
  return bias ? xw + bias : xw;
}

// aten.linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor
Item linear(const Call& call, Builder&) {
  const Value x = call.tensor("input");
  const Value weight = call.tensor("weight");
  if (weight.rank() != 1 && weight.rank() != 2)
    call.refuse("its weight has ", weight.rank(), " axes, expected a matrix");
  if (x.rank() > 0) call.walk().note_fixed(Shape{x.dim(-1)}, Shape{weight.dim(-1)});
  return affine(x, weight, call.tensor_or_none("bias"));
}

// quantized.linear_dynamic(Tensor X, (Tensor, Tensor?) W_prepack, bool reduce_range=False) ->
// Tensor quantized.linear_dynamic_fp16(Tensor X, (Tensor, Tensor?) W_prepack) -> Tensor
Item linear_dynamic(const Call& call, Builder&) {
  const Item& packed = call.arguments().size() > 1 ? call.at(1) : Item();
  if (!call.at(0).is_tensor() || !packed.container() || packed.container()->items.size() != 2 ||
      !packed.container()->items[0].is_tensor())
    call.refuse("it is given no tensor, or no weights");
  const Value x = call.walk().memory().read(*call.at(0).cell());
  const Value weight = call.walk().memory().read(*packed.container()->items[0].cell());
  const Item& bias = packed.container()->items[1];
  if (x.rank() > 0) call.walk().note_fixed(Shape{x.dim(-1)}, Shape{weight.dim(-1)});
  return affine(x, weight, bias.is_tensor() ? call.walk().memory().read(*bias.cell()) : Value());
}

// aten.matmul(Tensor self, Tensor other) -> Tensor
// aten.mm(Tensor self, Tensor mat2) -> Tensor
// aten.bmm(Tensor self, Tensor mat2) -> Tensor
// aten.mv(Tensor self, Tensor vec) -> Tensor
// aten.dot(Tensor self, Tensor tensor) -> Tensor
// aten.vdot(Tensor self, Tensor other) -> Tensor
Item matmul(const Call& call, Builder&) {
  const std::string& other = call.arguments()[1].first;
  const Value a = call.tensor("self");
  const Value b = call.tensor(other);
  Item product = product_of(call, a, b);
  // A matrix times several is the transposed product of these, transposed, in PyTorch.
  product.cell()->is_row_major = a.rank() >= b.rank();
  return product;
}

// aten.inner(Tensor self, Tensor other) -> Tensor
Item inner(const Call& call, Builder&) {
  const Value a = call.tensor("self");
  const Value b = call.tensor("other");
  if (a.rank() == 0 || b.rank() == 0) return a * b;
  if (b.rank() <= 2) return product(a, b.rank() == 2 ? turned(b) : b);
  // [..., k] and [..., k]: all rows of the one with all rows of the other.
  Builder g(a.graph());
  const Value rows = reshape(
      b, g.node("Concat", {g.int64s({-1}), voxport::size(b, -1)}, {{"axis", std::int64_t{0}}}));
  const Value shape = concat({voxport::slice(g.node("Shape", {a}), 0, 0, -1),
                              voxport::slice(g.node("Shape", {b}), 0, 0, -1)},
                             0);
  return reshape(product(a, turned(rows)), shape);
}

// aten.outer(Tensor self, Tensor vec2) -> Tensor
Item outer(const Call& call, Builder&) {
  const std::vector<Value> values = call.promoted({"self", "vec2"});
  return outer_product(values[0], values[1]);
}

// aten.addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
Item addr(const Call& call, Builder&) {
  return added_to_self(call, outer_product(call.tensor("vec1"), call.tensor("vec2")));
}

// aten.kron(Tensor self, Tensor other) -> Tensor
Item kron(const Call& call, Builder& g) {
  const DType dtype = result_type(std::vector<Item>{call.item("self"), call.item("other")});
  Value a = call.tensor_as("self", dtype);
  Value b = call.tensor_as("other", dtype);
  const std::size_t rank = std::max(a.rank(), b.rank());
  a = with_rank(a, rank);
  b = with_rank(b, rank);
  if (rank == 0) return a * b;
  std::vector<std::int64_t> even, odd;
  for (std::size_t i = 0; i < rank; ++i) {
    even.push_back(static_cast<std::int64_t>(2 * i));
    odd.push_back(static_cast<std::int64_t>(2 * i + 1));
  }
  const Value pairs = voxport::unsqueeze(a, odd) * voxport::unsqueeze(b, even);
  return reshape(pairs, g.node("Shape", {a}) * g.node("Shape", {b}));
}

// aten.addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
Item addmm(const Call& call, Builder& g) {
  const Value a = call.tensor("mat1");
  const Value b = call.tensor("mat2");
  const auto alpha = call.number("alpha").as_float();
  const auto beta = call.number("beta").as_float();
  note_inner(call, a, b);
  if (!is_floating(a.dtype()) || !alpha || !beta) return added_to_self(call, product(a, b));
  Attributes attributes;
  if (*alpha != 1) attributes.emplace_back("alpha", *alpha);
  if (*beta != 1 && *beta != 0) attributes.emplace_back("beta", *beta);
  if (*beta == 0) return g.node("Gemm", {a, b}, std::move(attributes));
  return g.node("Gemm", {a, b, call.tensor("self")}, std::move(attributes));
}

// aten.addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor
Item addmv(const Call& call, Builder&) {
  return added_to_self(call, product_of(call, call.tensor("mat"), call.tensor("vec")));
}

// aten.baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) ->
//   Tensor
Item baddbmm(const Call& call, Builder&) {
  return added_to_self(call, product_of(call, call.tensor("batch1"), call.tensor("batch2")));
}

// aten.addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) ->
// Tensor
Item addbmm(const Call& call, Builder&) {
  const Value products = product_of(call, call.tensor("batch1"), call.tensor("batch2"));
  return added_to_self(call, reduce_sum(products, {0}, false));
}

// aten.chain_matmul(Tensor[] matrices) -> Tensor
// aten.linalg_multi_dot(Tensor[] tensors) -> Tensor
Item multi_dot(const Call& call, Builder&) {
  const std::vector<Value> matrices = call.tensors(call.arguments()[0].first);
  if (matrices.empty()) call.refuse("it has no matrices");
  Value all = matrices.front();
  for (std::size_t i = 1; i < matrices.size(); ++i) all = product_of(call, all, matrices[i]);
  return all;
}

// aten.linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor
Item vecdot(const Call& call, Builder&) {
  const std::vector<Value> values = call.promoted({"x", "y"});
  const Value products = values[0] * values[1];
  return reduce_sum(products, {call.axis("dim", products.rank())}, false);
}

// aten.linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor
// aten.cross(Tensor self, Tensor other, int? dim=None) -> Tensor
// Without dim: the first axis of length 3.
Item cross(const Call& call, Builder&) {
  std::vector<Value> values = call.promoted({"self", "other"});
  const std::size_t rank = std::max(values[0].rank(), values[1].rank());
  for (Value& value : values) value = with_rank(value, rank);
  std::int64_t axis = -1;
  if (call.has("dim")) {
    axis = call.axis("dim", rank);
  } else {
    const auto found = std::ranges::find(values[0].shape(), Dim(3));
    if (found == values[0].shape().end()) call.refuse("no axis is known to be of length 3");
    axis = found - values[0].shape().begin();
  }
  const auto part = [&](const Value& x, std::int64_t i) {
    return voxport::slice(x, axis, i % 3, i % 3 + 1);
  };
  std::vector<Value> parts;
  for (std::int64_t i = 0; i < 3; ++i)
    parts.push_back(part(values[0], i + 1) * part(values[1], i + 2) -
                    part(values[0], i + 2) * part(values[1], i + 1));
  return concat(parts, axis);
}

// aten.cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor
Item cosine_similarity(const Call& call, Builder&) {
  std::vector<Value> values = call.promoted({"x1", "x2"});
  const std::size_t rank = std::max(values[0].rank(), values[1].rank());
  const std::int64_t axis = call.axis("dim", rank);
  for (Value& value : values) {
    value = with_rank(value, rank);
    const Value norm = sqrt(reduce_sum(value * value, {axis}, true));
    value = value / maximum(norm, call.real("eps"));
  }
  return reduce_sum(values[0] * values[1], {axis}, false);
}

// aten.pairwise_distance(Tensor x1, Tensor x2, float p=2., float eps=1e-06, bool keepdim=False) ->
//   Tensor
Item pairwise_distance(const Call& call, Builder& g) {
  const std::vector<Value> values = call.promoted({"x1", "x2"});
  const Value difference = values[0] - values[1] + call.real("eps");
  return norm_of(difference, call.real("p"), call.flag("keepdim"), g);
}

// aten.cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor
// aten._cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor
// aten._euclidean_dist(Tensor x1, Tensor x2) -> Tensor
Item cdist(const Call& call, Builder& g) {
  const Value a = call.tensor("x1");
  const Value b = call.tensor("x2");
  const bool is_euclidean = call.name() == "aten._euclidean_dist";
  const double p = is_euclidean ? 2 : call.real("p");
  if (a.rank() < 2 || b.rank() < 2) call.refuse("both sides must have two axes or more");
  note_inner(call, a, last_two_swapped(b));
  if (is_euclidean || (p == 2 && is_euclidean_by_product(call, a, b)))
    return euclidean_by_product(a, b);
  return norm_of(voxport::unsqueeze(a, {-2}) - voxport::unsqueeze(b, {-3}), p, false, g);
}

// aten._trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3,
//   int[] sumdim, int unroll_dim=1) -> Tensor
Item trilinear(const Call& call, Builder&) {
  const auto spread = [&](std::string_view name, std::string_view axes) {
    const std::vector<std::int64_t> at = call.integers(axes);
    return at.empty() ? call.tensor(name) : voxport::unsqueeze(call.tensor(name), at);
  };
  const Value all = spread("i1", "expand1") * spread("i2", "expand2") * spread("i3", "expand3");
  const std::vector<std::int64_t> axes = call.integers("sumdim");
  return axes.empty() ? all : reduce_sum(all, axes, false);
}

}  // namespace voxport::ops
