// Running sums, products and extremes along an axis.
#include <cmath>
#include <limits>

#include "lower/ops/ops.h"
#include "lower/ops/sum_type.h"

namespace voxport::ops {
namespace {

// ONNX has a running sum and nothing else of the kind. Each element gets a copy of the axis, in
// which what comes after it is `neutral`: [..., n, ...] becomes [..., n, n, ...], to be reduced at
// axis + 1.
Value histories(const Value& x, std::int64_t axis, const Value& neutral, Builder& g) {
  const Value places = range(size(x, axis));
  Value is_past = g.node("GreaterOrEqual", {unsqueeze(places, {1}), places});
  std::vector<std::int64_t> after;
  for (std::int64_t i = axis + 1; i < static_cast<std::int64_t>(x.rank()); ++i)
    after.push_back(i - axis + 1);
  if (!after.empty()) is_past = unsqueeze(is_past, after);
  return where(is_past, unsqueeze(x, {axis}), neutral);
}

Value reduced_at(const char* op, const Value& x, std::int64_t axis) {
  return Builder(x.graph()).node(op, {x},
                                 {{"axes", std::vector{axis}}, {"keepdims", std::int64_t{0}}});
}

// What no element is below, or above.
Value limit(DType dtype, bool is_max, Builder& g) {
  using Int64 = std::numeric_limits<std::int64_t>;
  if (dtype == DType::kInt64) return g.int64(is_max ? Int64::min() : Int64::max());
  return g.scalar(is_max ? -HUGE_VAL : HUGE_VAL, dtype);
}

Item running_extreme(const Call& call, bool is_max, Builder& g) {
  const Value x = call.tensor("self");
  if (x.rank() == 0) return std::vector<Value>{x, g.int64(0)};
  const DType kernel = sum_type(x.dtype());
  const std::int64_t axis = call.axis("dim", x.rank());
  const Value past = histories(cast(x, kernel), axis, limit(kernel, is_max, g), g);
  const Value values = reduced_at(is_max ? "ReduceMax" : "ReduceMin", past, axis + 1);
  const Value indices = g.node(
      is_max ? "ArgMax" : "ArgMin", {past},
      {{"axis", axis + 1}, {"keepdims", std::int64_t{0}}, {"select_last_index", std::int64_t{1}}});
  return std::vector<Value>{cast(values, x.dtype()), indices};
}

}  // namespace

// aten.cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
Item cumsum(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const DType dtype = summed_type(call, x);
  const Value wide = cast(cast(x, dtype), sum_type(dtype));
  if (x.rank() == 0) return cast(wide, dtype);
  return cast(cum_sum(wide, call.axis("dim", x.rank())), dtype);
}

// aten.cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
Item cumprod(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  const DType dtype = summed_type(call, x);
  const Value wide = cast(cast(x, dtype), sum_type(dtype));
  if (x.rank() == 0) return cast(wide, dtype);
  const std::int64_t axis = call.axis("dim", x.rank());
  return cast(
      reduced_at("ReduceProd", histories(wide, axis, g.scalar(1, wide.dtype()), g), axis + 1),
      dtype);
}

// aten.logcumsumexp(Tensor self, int dim) -> Tensor
Item logcumsumexp(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  if (!is_floating(x.dtype())) call.refuse("it takes floats, found ", name_of(x.dtype()));
  if (x.rank() == 0) return x;
  const std::int64_t axis = call.axis("dim", x.rank());
  const Value wide = cast(x, sum_type(x.dtype()));
  const Value past = histories(wide, axis, g.scalar(-HUGE_VAL, wide.dtype()), g);
  return cast(reduced_at("ReduceLogSumExp", past, axis + 1), x.dtype());
}

// aten.cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)
Item cummax(const Call& call, Builder& g) { return running_extreme(call, true, g); }

// aten.cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)
Item cummin(const Call& call, Builder& g) { return running_extreme(call, false, g); }

}  // namespace voxport::ops
