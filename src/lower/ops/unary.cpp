// Functions of one element.
#include <cmath>
#include <limits>
#include <numbers>

#include "lower/ops/operands.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

using Function = double (*)(double);

struct Known {
  std::string_view op;
  Function function;
};

// Operators of ONNX that TorchScript also has for numbers.
constexpr Known kKnown[] = {
    {"Acos", std::acos}, {"Acosh", std::acosh}, {"Asin", std::asin}, {"Asinh", std::asinh},
    {"Atan", std::atan}, {"Atanh", std::atanh}, {"Cosh", std::cosh}, {"Erf", std::erf},
    {"Exp", std::exp},   {"Log", std::log},     {"Sin", std::sin},   {"Sinh", std::sinh},
    {"Sqrt", std::sqrt}, {"Tan", std::tan},     {"Tanh", std::tanh},
};

Function known_function(std::string_view op) {
  for (const Known& known : kKnown)
    if (known.op == op) return known.function;
  return nullptr;
}

// A function of floats: of a tensor as `body` says it, of a number that is known at once.
template <class Body>
Item on_floats(const Call& call, Function known, Body body) {
  const Number* number = call.at(0).number();
  if (!number) return body(float_operand(call));
  const auto value = number->as_float();
  if (value && known) return Number::of_float(known(*value));
  Scopes& scopes = call.scopes();
  return scopes.number_of(body(scopes.value_of(*number, DType::kFloat64)));
}

// Of an int or a bool a statement that holds for no number is false everywhere.
template <class Body>
Item about_floats(const Call& call, Body body) {
  const Value x = call.tensor_as(first(call), operand(call).dtype());
  const Value result = is_floating(x.dtype()) ? body(x) : is_nan(x);
  if (call.at(0).number()) return call.scopes().number_of(result);
  return result;
}

// Logarithms of another base are exact for its powers only when computed with more digits.
Value log_of_base(const Value& x, double log_of_the_base) {
  Builder g(x.graph());
  return converted(g.node("Log", {converted(x, DType::kFloat64)}) / log_of_the_base, x.dtype());
}

// The polynomial with these coefficients, that of the highest power first.
Value polynomial(const Value& x, std::initializer_list<double> coefficients) {
  Value sum;
  for (const double coefficient : coefficients)
    sum = sum ? sum * x + coefficient : like(x, coefficient);
  return sum;
}

// M. Giles, Approximating the erfinv function: polynomials of w = -log(1 - x^2), one for the middle
// and one for the tails.
Value inverse_erf(const Value& x) {
  Builder g(x.graph());
  const Value w = g.node("Neg", {g.node("Log", {(like(x, 1) - x) * (x + 1)})});
  const Value middle =
      polynomial(w - 2.5, {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
                           0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  const Value tails = polynomial(
      sqrt(w) - 3, {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                    -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  const Value result = where(less(w, like(w, 5)), middle, tails) * x;
  return where(g.node("Equal", {voxport::abs(x), like(x, 1)}), x * kInf, result);
}

}  // namespace

Value is_nan(const Value& x) {
  Builder g(x.graph());
  return is_floating(x.dtype()) ? g.node("IsNaN", {x}) : g.node("Not", {apply_op("Equal", {x, x})});
}

Value is_negative(const Value& x) {
  if (!is_floating(x.dtype())) return apply_op("Less", {x, like(x, 0)});
  Builder g(x.graph());
  const Value zero = like(x, 0);
  return g.node("Or", {less(x, zero), less(g.node("Reciprocal", {x}), zero)});
}

Value truncated(const Value& x) {
  Builder g(x.graph());
  return where(less(x, like(x, 0)), voxport::ceil(x), g.node("Floor", {x}));
}

// ONNX Runtime got a Cos for float64 late, and float32 loses large angles.
Value cosine(const Value& x) {
  if (x.dtype() == DType::kFloat64) return voxport::sin(x + std::numbers::pi / 2);
  return Builder(x.graph()).node("Cos", {x});
}

Item float_function(const Call& call, const char* op) {
  return on_floats(call, known_function(op), [&](const Value& x) { return apply_op(op, {x}); });
}

// aten.floor(Tensor self) -> Tensor, aten.floor.float(float a) -> int
// aten.round.float(float a) -> float
Item rounded(const Call& call, const char* op) {
  const Number* number = call.at(0).number();
  if (!number) {
    const Value x = operand(call);
    return is_floating(x.dtype()) ? Builder(x.graph()).node(op, {x}) : x;
  }
  const bool is_round = std::string_view(op) == "Round";
  const Number::Kind kind = is_round ? Number::Kind::kFloat : Number::Kind::kInt;
  Scopes& scopes = call.scopes();
  if (number->kind() != Number::Kind::kFloat) return as_kind(scopes, *number, kind);
  if (const auto value = number->as_float()) {
    const double result = is_round                         ? std::nearbyint(*value)
                          : std::string_view(op) == "Ceil" ? std::ceil(*value)
                                                           : std::floor(*value);
    return as_kind(scopes, Number::of_float(result), kind);
  }
  if (!is_round) return rounded_number(scopes, op, *number);
  return scopes.number_of(Builder(scopes.graph()).node(op, {scopes.value_of(*number)}));
}

// aten.abs(Tensor self) -> Tensor, prim.abs.int(int a) -> int
Item abs(const Call& call, Builder&) {
  const Number* number = call.at(0).number();
  if (!number) return apply_op("Abs", {operand(call)});
  return compute(call.scopes(), Arithmetic::kMax, *number, negative(call.scopes(), *number));
}

// aten.angle(Tensor self) -> Tensor
Item angle(const Call& call, Builder& g) {
  const Value x = float_operand(call);
  const Value pi = like(x, std::numbers::pi);
  const Value angle = where(less(x, like(x, 0)), pi, like(x, 0));
  return where(g.node("IsNaN", {x}), x, angle);
}

// aten.bitwise_not(Tensor self) -> Tensor
Item bitwise_not(const Call& call, Builder& g) {
  const Value x = operand(call);
  if (x.dtype() == DType::kBool) return g.node("Not", {x});
  if (!is_integral(x.dtype())) call.refuse("floats have no bits to turn around");
  const double all = x.dtype() == DType::kUInt8 ? 255 : -1;
  return apply_op("Sub", {like(x, all), x});
}

// aten.cos(Tensor self) -> Tensor
Item cos(const Call& call, Builder&) { return on_floats(call, std::cos, cosine); }

// aten.deg2rad(Tensor self) -> Tensor, aten.radians.float(float a) -> float
Item deg2rad(const Call& call, Builder&) {
  constexpr double kRadians = std::numbers::pi / 180;
  const Function known = [](double x) { return x * kRadians; };
  return on_floats(call, known, [](const Value& x) { return x * kRadians; });
}

// aten.erfc(Tensor self) -> Tensor
Item erfc(const Call& call, Builder&) {
  return on_floats(call, std::erfc,
                   [](const Value& x) { return like(x, 1) - apply_op("Erf", {x}); });
}

// aten.erfinv(Tensor self) -> Tensor
Item erfinv(const Call& call, Builder&) { return inverse_erf(float_operand(call)); }

// aten.exp2(Tensor self) -> Tensor
Item exp2(const Call& call, Builder& g) {
  const Value x = float_operand(call);
  return g.node("Pow", {like(x, 2), x});
}

// aten.expm1(Tensor self) -> Tensor
// exp(x) - 1 has no digits left around 0; tanh(x / 2) * (exp(x) + 1) is the same and has.
Item expm1(const Call& call, Builder&) {
  return on_floats(call, std::expm1,
                   [](const Value& x) { return tanh(x * 0.5) * (voxport::exp(x) + 1); });
}

// aten.frac(Tensor self) -> Tensor
Item frac(const Call& call, Builder&) {
  const Value x = operand(call);
  return x - truncated(x);
}

// aten.i0(Tensor self) -> Tensor
// M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 9.8.1 and 9.8.2.
Item i0(const Call& call, Builder& g) {
  const Value x = voxport::abs(float_operand(call));
  constexpr double kLimit = 3.75;
  const Value t = x / kLimit;
  const Value near =
      polynomial(t * t, {0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1});
  const Value far = polynomial(g.node("Reciprocal", {t}),
                               {0.00392377, -0.01647633, 0.02635537, -0.02057706, 0.00916281,
                                -0.00157565, 0.00225319, 0.01328592, 0.39894228});
  return where(less(x, like(x, kLimit)), near, voxport::exp(x) / sqrt(x) * far);
}

// aten.isfinite(Tensor self) -> Tensor
Item isfinite(const Call& call, Builder& g) {
  const Value x = operand(call);
  if (!is_floating(x.dtype())) return g.node("Not", {is_nan(x)});
  return about_floats(call, [](const Value& y) { return less(voxport::abs(y), like(y, kInf)); });
}

// aten.isinf(Tensor self) -> Tensor
Item isinf(const Call& call, Builder& g) {
  return about_floats(call, [&](const Value& x) {
    return g.node("Equal", {voxport::abs(x), like(x, kInf)});
  });
}

// aten.isnan(Tensor self) -> Tensor
Item isnan(const Call& call, Builder&) { return about_floats(call, is_nan); }

// aten.isneginf(Tensor self) -> Tensor
Item isneginf(const Call& call, Builder& g) {
  return about_floats(call, [&](const Value& x) { return g.node("Equal", {x, like(x, -kInf)}); });
}

// aten.isposinf(Tensor self) -> Tensor
Item isposinf(const Call& call, Builder& g) {
  return about_floats(call, [&](const Value& x) { return g.node("Equal", {x, like(x, kInf)}); });
}

// aten.isreal(Tensor self) -> Tensor
Item isreal(const Call& call, Builder& g) {
  const Value is_true = cast(operand(call), DType::kBool);
  return g.node("Or", {is_true, g.node("Not", {is_true})});
}

// aten.log.Scalar_Scalar(Scalar a, Scalar b) -> float: of base b
// aten.log(Tensor self) -> Tensor
Item log(const Call& call, Builder&) {
  if (call.arguments().size() < 2) return float_function(call, "Log");
  const auto a = call.number(first(call)).as_float();
  const auto b = call.number(second(call)).as_float();
  if (!a || !b) call.refuse("a logarithm of any base must be known before the run");
  return Number::of_float(std::log(*a) / std::log(*b));
}

// aten.log10(Tensor self) -> Tensor
Item log10(const Call& call, Builder&) {
  return on_floats(call, std::log10,
                   [](const Value& x) { return log_of_base(x, std::numbers::ln10); });
}

// aten.log1p(Tensor self) -> Tensor
// 1 + x is rounded to u; log(u) * x / (u - 1) makes up for it.
Item log1p(const Call& call, Builder& g) {
  return on_floats(call, std::log1p, [&](const Value& x) {
    const Value u = x + 1;
    const Value taken = u - 1;
    const Value is_itself =
        g.node("Or", {g.node("Equal", {taken, like(x, 0)}), g.node("Equal", {x, like(x, kInf)})});
    return where(is_itself, x, g.node("Log", {u}) * (x / taken));
  });
}

// aten.log2(Tensor self) -> Tensor
Item log2(const Call& call, Builder&) {
  return on_floats(call, std::log2,
                   [](const Value& x) { return log_of_base(x, std::numbers::ln2); });
}

// aten.logical_not(Tensor self) -> Tensor
Item logical_not(const Call& call, Builder& g) {
  return g.node("Not", {converted(operand(call), DType::kBool)});
}

// aten.logit(Tensor self, float? eps=None) -> Tensor
Item logit(const Call& call, Builder& g) {
  Value x = float_operand(call);
  if (call.has("eps")) {
    const double eps = call.real("eps");
    x = g.node("Min", {g.node("Max", {x, like(x, eps)}), like(x, 1 - eps)});
  }
  return g.node("Log", {x / (like(x, 1) - x)});
}

// aten.nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor
Item nan_to_num(const Call& call, Builder& g) {
  Value x = operand(call);
  if (!is_floating(x.dtype())) return x;
  const double largest = x.dtype() == DType::kFloat64   ? std::numeric_limits<double>::max()
                         : x.dtype() == DType::kFloat32 ? std::numeric_limits<float>::max()
                         : x.dtype() == DType::kFloat16 ? 65504
                                                        : 3.3895313892515355e38;
  const auto given = [&](const char* name, double otherwise) {
    return like(x, call.has(name) ? call.real(name) : otherwise);
  };
  const Value nan = given("nan", 0);
  const Value posinf = given("posinf", largest);
  const Value neginf = given("neginf", -largest);
  const Value finite = where(g.node("Equal", {x, like(x, kInf)}), posinf,
                             where(g.node("Equal", {x, like(x, -kInf)}), neginf, x));
  return where(g.node("IsNaN", {x}), nan, finite);
}

// aten.rad2deg(Tensor self) -> Tensor, aten.degrees.float(float a) -> float
Item rad2deg(const Call& call, Builder&) {
  constexpr double kDegrees = 180 / std::numbers::pi;
  const Function known = [](double x) { return x * kDegrees; };
  return on_floats(call, known, [](const Value& x) { return x * kDegrees; });
}

// aten.round.decimals(Tensor self, *, int decimals) -> Tensor
Item round(const Call& call, Builder&) {
  const auto decimals = call.integer_or_none("decimals").value_or(0);
  if (decimals == 0) return rounded(call, "Round");
  const Value x = operand(call);
  if (!is_floating(x.dtype())) call.refuse("ints have no decimals to round");
  constexpr std::int64_t kMaxDecimals = 300;
  if (decimals > kMaxDecimals || decimals < -kMaxDecimals)
    call.refuse("it rounds to ", decimals, " decimals");
  const double scale = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  return decimals > 0 ? voxport::round(x * scale) / scale : voxport::round(x / scale) * scale;
}

// aten.rsqrt(Tensor self) -> Tensor
Item rsqrt(const Call& call, Builder& g) {
  return g.node("Reciprocal", {sqrt(float_operand(call))});
}

// aten.sign(Tensor self) -> Tensor
// 0 for what is not a number.
Item sign(const Call& call, Builder& g) {
  const Value x = operand(call);
  if (x.dtype() == DType::kBool) return x;
  if (!is_floating(x.dtype())) return apply_op("Sign", {x});
  return where(g.node("IsNaN", {x}), like(x, 0), g.node("Sign", {x}));
}

// aten.signbit(Tensor self) -> Tensor
Item signbit(const Call& call, Builder&) { return is_negative(operand(call)); }

// aten.sinc(Tensor self) -> Tensor
Item sinc(const Call& call, Builder& g) {
  const Value x = float_operand(call);
  const Value angle = x * std::numbers::pi;
  return where(g.node("Equal", {x, like(x, 0)}), like(x, 1), sin(angle) / angle);
}

// aten.special_entr(Tensor self) -> Tensor
Item special_entr(const Call& call, Builder& g) {
  const Value x = float_operand(call);
  const Value entropy =
      where(g.node("Equal", {x, like(x, 0)}), like(x, 0), g.node("Neg", {x * g.node("Log", {x})}));
  return where(less(x, like(x, 0)), like(x, -kInf), entropy);
}

// aten.special_ndtr(Tensor self) -> Tensor
Item special_ndtr(const Call& call, Builder&) {
  const Value x = float_operand(call);
  return (apply_op("Erf", {x / std::numbers::sqrt2}) + 1) * 0.5;
}

// aten.special_ndtri(Tensor self) -> Tensor
Item special_ndtri(const Call& call, Builder&) {
  return inverse_erf(float_operand(call) * 2 - 1) * std::numbers::sqrt2;
}

// aten.square(Tensor self) -> Tensor
Item square(const Call& call, Builder&) {
  const Value x = operand(call);
  const Value base = x.dtype() == DType::kBool ? cast(x, DType::kInt64) : x;
  return apply_op("Mul", {base, base});
}

// aten.trunc(Tensor self) -> Tensor
Item trunc(const Call& call, Builder&) {
  const Value x = operand(call);
  return is_floating(x.dtype()) ? truncated(x) : x;
}

}  // namespace voxport::ops
