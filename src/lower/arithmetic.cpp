#include "lower/arithmetic.h"

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "base/fail.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport {
namespace {

using Kind = Number::Kind;

// The result of a node on int64 scalars, known to the graph as `dim`.
Number int_result(Scopes& scopes, const Value& value, const Dim& dim) {
  if (!value.type().elements) scopes.graph().declare_elements(value, {dim});
  return Number::of_value(value, Kind::kInt, dim);
}

std::optional<Dim> power(const Dim& base, const Dim& exponent) {
  constexpr std::int64_t kMaxExponent = 62;
  const auto times = exponent.constant();
  if (!times || *times < 0 || *times > kMaxExponent) return std::nullopt;
  Dim product = 1;
  for (std::int64_t i = 0; i < *times; ++i) product = product * base;
  return product;
}

// Nothing where a Dim cannot express the result.
std::optional<Dim> combine(Arithmetic what, const Dim& a, const Dim& b) {
  switch (what) {
    case Arithmetic::kAdd: return a + b;
    case Arithmetic::kSub: return a - b;
    case Arithmetic::kMul: return a * b;
    case Arithmetic::kMin: return min(a, b);
    case Arithmetic::kMax: return max(a, b);
    case Arithmetic::kPow: return power(a, b);
    case Arithmetic::kTrueDiv: return std::nullopt;
    case Arithmetic::kFloorDiv:
    case Arithmetic::kRemainder: break;
  }
  if (b.constant() == 0) fail(Error::kUnsupported, "it divides by 0");
  const Dim quotient = floor_div(a, b);
  return what == Arithmetic::kFloorDiv ? quotient : a - quotient * b;
}

// ONNX divides ints towards zero; its Mod has the sign of the divisor, as Python's.
Value int_node(Arithmetic what, const Value& a, const Value& b) {
  Builder g(a.graph());
  switch (what) {
    case Arithmetic::kAdd: return a + b;
    case Arithmetic::kSub: return a - b;
    case Arithmetic::kMul: return a * b;
    case Arithmetic::kMin: return g.node("Min", {a, b});
    case Arithmetic::kMax: return g.node("Max", {a, b});
    case Arithmetic::kPow: return g.node("Pow", {a, b});
    case Arithmetic::kRemainder: return g.node("Mod", {a, b});
    default: return (a - g.node("Mod", {a, b})) / b;
  }
}

Value float_node(Arithmetic what, const Value& a, const Value& b) {
  Builder g(a.graph());
  switch (what) {
    case Arithmetic::kTrueDiv: return a / b;
    case Arithmetic::kFloorDiv: return g.node("Floor", {a / b});
    case Arithmetic::kRemainder: return a - g.node("Floor", {a / b}) * b;
    default: return int_node(what, a, b);
  }
}

double float_result(Arithmetic what, double a, double b) {
  const bool divides = what == Arithmetic::kTrueDiv || what == Arithmetic::kFloorDiv ||
                       what == Arithmetic::kRemainder;
  if (divides && b == 0) fail(Error::kUnsupported, "it divides by 0");
  switch (what) {
    case Arithmetic::kAdd: return a + b;
    case Arithmetic::kSub: return a - b;
    case Arithmetic::kMul: return a * b;
    case Arithmetic::kTrueDiv: return a / b;
    case Arithmetic::kFloorDiv: return std::floor(a / b);
    case Arithmetic::kRemainder: return a - std::floor(a / b) * b;
    case Arithmetic::kPow: return std::pow(a, b);
    case Arithmetic::kMin: return std::min(a, b);
    case Arithmetic::kMax: return std::max(a, b);
  }
  return 0;
}

bool holds(std::string_view op, double difference) {
  if (op == "Equal") return difference == 0;
  if (op == "Less") return difference < 0;
  if (op == "LessOrEqual") return difference <= 0;
  return op == "Greater" ? difference > 0 : difference >= 0;
}

}  // namespace

Number as_kind(Scopes& scopes, const Number& number, Kind kind) {
  if (number.kind() == kind) return number;
  if (number.is_constant()) {
    if (kind == Kind::kBool) return Number::of_bool(*number.as_bool());
    if (kind == Kind::kFloat) return Number::of_float(*number.as_float());
    const auto value = number.as_int();
    if (!value) fail(Error::kUnsupported, "a float beyond 64 bits cannot be an int");
    return Number::of_int(*value);
  }
  // int() rounds towards zero, which is the floor of what is not negative.
  const Number::Quotient* quotient = kind == Kind::kInt ? number.quotient() : nullptr;
  if (quotient && max(quotient->above, Dim(0)) == quotient->above)
    return int_result(scopes, cast(scopes.value_of(number), DType::kInt64),
                      floor_div(quotient->above, quotient->below));
  constexpr DType kDTypes[] = {DType::kBool, DType::kInt64, DType::kFloat64};
  return scopes.number_of(cast(scopes.value_of(number), kDTypes[static_cast<std::size_t>(kind)]));
}

Number compute(Scopes& scopes, Arithmetic what, const Number& a, const Number& b) {
  const bool is_fraction =
      what == Arithmetic::kTrueDiv || (what == Arithmetic::kPow && b.as_float().value_or(0) < 0);
  const bool is_float = a.kind() == Kind::kFloat || b.kind() == Kind::kFloat || is_fraction;
  if (!is_float) {
    const Number x = as_kind(scopes, a, Kind::kInt);
    const Number y = as_kind(scopes, b, Kind::kInt);
    const auto dim = combine(what, x.dim(), y.dim());
    if (dim && dim->is_constant()) return Number::of_int(*dim->constant());
    const Value value = int_node(what, scopes.value_of(x), scopes.value_of(y));
    return dim ? int_result(scopes, value, *dim) : scopes.size_of(value);
  }
  const Number x = as_kind(scopes, a, Kind::kFloat);
  const Number y = as_kind(scopes, b, Kind::kFloat);
  if (x.is_constant() && y.is_constant())
    return Number::of_float(float_result(what, *x.as_float(), *y.as_float()));
  const Value value = float_node(what, scopes.value_of(x), scopes.value_of(y));
  const bool is_of_sizes =
      what == Arithmetic::kTrueDiv && a.kind() == Kind::kInt && b.as_int().value_or(0) > 0;
  return is_of_sizes ? Number::of_quotient(value, a.dim(), b.dim())
                     : Number::of_value(value, Kind::kFloat);
}

Number rounded_number(Scopes& scopes, std::string_view op, const Number& number) {
  const Value whole = Builder(scopes.graph()).node(std::string(op), {scopes.value_of(number)});
  const Value value = cast(whole, DType::kInt64);
  const Number::Quotient* quotient = number.quotient();
  if (!quotient) return scopes.size_of(value);
  const auto& [above, below] = *quotient;
  return int_result(scopes, value, op == "Ceil" ? ceil_div(above, below) : floor_div(above, below));
}

Number negative(Scopes& scopes, const Number& a) {
  const Number zero = a.kind() == Kind::kFloat ? Number::of_float(-0.0) : Number::of_int(0);
  return compute(scopes, Arithmetic::kSub, zero, a);
}

Number compare(Scopes& scopes, std::string_view op, const Number& a, const Number& b) {
  const bool is_float = a.kind() == Kind::kFloat || b.kind() == Kind::kFloat;
  const Kind kind = is_float ? Kind::kFloat : Kind::kInt;
  const Number x = as_kind(scopes, a, kind);
  const Number y = as_kind(scopes, b, kind);
  if (!is_float)
    if (const auto difference = (x.dim() - y.dim()).constant())
      return Number::of_bool(holds(op, static_cast<double>(*difference)));
  if (x.is_constant() && y.is_constant()) {
    const double p = *x.as_float();
    const double q = *y.as_float();
    const double difference = p == q ? 0 : p - q;  // also of two infinities
    return Number::of_bool(holds(op, difference));
  }
  Builder g(scopes.graph());
  return Number::of_value(g.node(std::string(op), {scopes.value_of(x), scopes.value_of(y)}),
                          Kind::kBool);
}

Number logical_not(Scopes& scopes, const Number& a) {
  const Number x = as_kind(scopes, a, Kind::kBool);
  if (const auto known = x.as_bool()) return Number::of_bool(!*known);
  return Number::of_value(Builder(scopes.graph()).node("Not", {scopes.value_of(x)}), Kind::kBool);
}

Number logical_and(Scopes& scopes, const Number& a, const Number& b) {
  const Number x = as_kind(scopes, a, Kind::kBool);
  const Number y = as_kind(scopes, b, Kind::kBool);
  if (const auto known = x.as_bool()) return *known ? y : x;
  if (const auto known = y.as_bool()) return *known ? x : y;
  Builder g(scopes.graph());
  return Number::of_value(g.node("And", {scopes.value_of(x), scopes.value_of(y)}), Kind::kBool);
}

Number logical_or(Scopes& scopes, const Number& a, const Number& b) {
  return logical_not(scopes, logical_and(scopes, logical_not(scopes, a), logical_not(scopes, b)));
}

}  // namespace voxport
