// The logarithm of the gamma function and its derivative, by Stirling's series.
#include <limits>
#include <numbers>

#include "lower/ops/operands.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// The series is exact to 14 digits from here on; smaller arguments are moved up by this much.
constexpr int kShift = 8;

// Both functions are computed in float64 from an argument above 1/2, and reflected below.
struct GammaArgument {
  Value x;
  Value is_reflected;
  Value y;  // 1 - x where it is reflected, else x
};

GammaArgument argument_of(const Call& call) {
  const Value x = call.tensor_as(first(call), DType::kFloat64);
  const Value is_reflected = less(x, like(x, 0.5));
  return {x, is_reflected, where(is_reflected, like(x, 1) - x, x)};
}

Value in_type_of_self(const Call& call, const Value& result) {
  return converted(result, floating(operand(call).dtype()));
}

// pi times the fraction of x: sin and tan of it are 0 at whole numbers, not almost.
Value angle_of(const Value& x) { return (x - truncated(x)) * std::numbers::pi; }

}  // namespace

// aten.lgamma(Tensor self) -> Tensor
Item lgamma(const Call& call, Builder& g) {
  const auto [x, is_reflected, y] = argument_of(call);
  Value product = y;
  for (int i = 1; i < kShift; ++i) product = product * (y + i);
  const Value z = y + kShift;
  const Value w = g.node("Reciprocal", {z * z});
  const Value series = (((w * (-1.0 / 1680) + 1.0 / 1260) * w - 1.0 / 360) * w + 1.0 / 12) / z;
  constexpr double kHalfLogTwoPi = 0.9189385332046727;
  const Value log_z = g.node("Log", {z});
  const Value above = (z - 0.5) * log_z - z + series + kHalfLogTwoPi - g.node("Log", {product});
  constexpr double kLogPi = 1.1447298858494002;
  const Value log_sine = g.node("Log", {voxport::abs(sin(angle_of(x)))});
  const Value below = like(x, kLogPi) - log_sine - above;
  const Value inf = like(x, std::numeric_limits<double>::infinity());
  const Value is_infinite = g.node("Equal", {voxport::abs(x), inf});
  return in_type_of_self(call, where(is_infinite, inf, where(is_reflected, below, above)));
}

// aten.digamma(Tensor self) -> Tensor
Item digamma(const Call& call, Builder& g) {
  const auto [x, is_reflected, y] = argument_of(call);
  Value sum = g.node("Reciprocal", {y});
  for (int i = 1; i < kShift; ++i) sum = sum + g.node("Reciprocal", {y + i});
  const Value z = y + kShift;
  const Value w = g.node("Reciprocal", {z * z});
  const Value series =
      (((w * (1.0 / 240) - 1.0 / 252) * w + 1.0 / 120) * w - 1.0 / 12) * w - like(z, 0.5) / z;
  const Value above = g.node("Log", {z}) + series - sum;
  const Value angle = angle_of(x);
  const Value cotangent = cosine(angle) / sin(angle);
  const Value below = above - cotangent * std::numbers::pi;
  return in_type_of_self(call, where(is_reflected, below, above));
}

}  // namespace voxport::ops
