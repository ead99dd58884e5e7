#include "lower/ops/complex.h"

#include <numbers>

#include "lower/ops/operands.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

Value part_of(const Value& pairs, std::int64_t which) {
  return gather(pairs, Builder(pairs.graph()).int64(which), -1);
}

bool is_complex_argument(const Call& call, std::string_view name) {
  return call.item(name).is_complex();
}

// The type in which both operands' parts are computed.
DType part_type(const Call& call) {
  return voxport::part_of(result_type(std::vector<Item>{call.at(0), call.at(1)}));
}

// The argument, a tensor of floats, as parts of complex numbers must be.
Value float_part(const Call& call, std::string_view name) {
  Value x = call.tensor(name);
  if (!is_floating(x.dtype()))
    call.refuse("its argument ", in_quotes(name), " is ", name_of(x.dtype()), ", expected a float");
  return x;
}

// A factor that both parts of a complex tensor are multiplied by.
Value spread_over_parts(const Value& real) { return voxport::unsqueeze(real, {-1}); }

Value product_of_pairs(const Value& a, const Value& b) {
  const Value ar = real_part(a), ai = imaginary_part(a);
  const Value br = real_part(b), bi = imaginary_part(b);
  return pairs_of(ar * br - ai * bi, ar * bi + ai * br);
}

Value conjugate(const Value& pairs) {
  Builder g(pairs.graph());
  return pairs_of(real_part(pairs), g.node("Neg", {imaginary_part(pairs)}));
}

Value square_of_absolute(const Value& pairs) { return reduce_sum(pairs * pairs, {-1}, false); }

// The angle of (x, y), in (-pi, pi].
Value angle_of(const Value& y, const Value& x) {
  Builder g(x.graph());
  const auto number = [&](double value) { return g.scalar(value, x.dtype()); };
  const Value zero = number(0);
  const Value is_zero = g.node("Equal", {x, zero});
  const Value right = g.node("Atan", {y / where(is_zero, zero, x)});
  const Value turn = where(less(y, zero), number(-std::numbers::pi), number(std::numbers::pi));
  const Value angle = where(less(x, zero), right + turn, right);
  return where(g.node("And", {is_zero, g.node("Equal", {y, zero})}), zero, angle);
}

// An argument, complex or real, as pairs.
Value as_pairs(const Call& call, std::string_view name, DType dtype) {
  const Value x = call.tensor_as(name, dtype);
  return is_complex_argument(call, name) ? x : ops::pairs_of(x);
}

// A value in the shape of the complex tensor `self`, of which all is written over.
Item spread_over(const Call& call, const Value& self, const Value& pairs) {
  call.walk().note_fixed(self.shape(), pairs.shape());
  if (pairs.shape() == self.shape()) return complex_item(pairs);
  return complex_item(expand(pairs, Builder(self.graph()).node("Shape", {self})));
}

// The numbers of these absolutes and angles.
Value at_angle(const Value& radius, const Value& angle) {
  Builder g(angle.graph());
  return ops::pairs_of(radius * g.node("Cos", {angle}), radius * sin(angle));
}

// To a power that is a real number.
Value raised(const Value& pairs, double exponent) {
  Builder g(pairs.graph());
  const Value power = g.scalar(exponent, pairs.dtype());
  const Value radius = g.node("Pow", {sqrt(square_of_absolute(pairs)), power});
  return at_angle(radius, angle_of(imaginary_part(pairs), real_part(pairs)) * power);
}

Value reciprocal_of(const Value& pairs) {
  return conjugate(pairs) / spread_over_parts(square_of_absolute(pairs));
}

// A view of one part of a complex tensor.
Item part_view(const Call& call, std::int64_t which) {
  View view;
  view.look = [which](const Value& base) { return part_of(base, which); };
  view.put = [which](const Value& base, const Value& part) {
    const Value other = part_of(base, 1 - which);
    return which == 0 ? pairs_of(part, other) : pairs_of(other, part);
  };
  Item item = call.view("self", std::move(view), false);
  item.cell()->is_complex = false;
  return item;
}

// The same elements, seen as pairs or as complex numbers.
Item seen_as(const Call& call, bool is_complex) {
  View view;
  view.look = [](const Value& base) { return base; };
  view.put = [](const Value&, const Value& part) { return part; };
  Item item = call.view("self", std::move(view), true);
  item.cell()->is_complex = is_complex;
  return item;
}

}  // namespace

Value real_part(const Value& pairs) { return part_of(pairs, 0); }
Value imaginary_part(const Value& pairs) { return part_of(pairs, 1); }

Value pairs_of(const Value& real, const Value& imaginary) {
  Value r = real;
  Value i = imaginary;
  if (r.shape() != i.shape()) {
    Builder g(r.graph());
    const Value whole = g.node("Shape", {r + i});
    r = expand(r, whole);
    i = expand(i, whole);
  }
  return concat({voxport::unsqueeze(r, {-1}), voxport::unsqueeze(i, {-1})}, -1);
}

Value pairs_of(const Value& real) {
  return pairs_of(real, zeros(Builder(real.graph()).node("Shape", {real}), real.dtype()));
}

Item complex_item(const Value& pairs) {
  Item item = pairs;
  item.cell()->is_complex = true;
  return item;
}

// aten.complex(Tensor real, Tensor imag) -> Tensor
Item complex(const Call& call, Builder&) {
  return complex_item(pairs_of(float_part(call, "real"), float_part(call, "imag")));
}

// aten.polar(Tensor abs, Tensor angle) -> Tensor
Item polar(const Call& call, Builder&) {
  const Value radius = float_part(call, "abs");
  return complex_item(at_angle(radius, float_part(call, "angle")));
}

// aten.view_as_complex(Tensor self) -> Tensor
Item view_as_complex(const Call& call, Builder&) {
  const Value x = float_part(call, "self");
  if (x.rank() == 0 || (x.dim(-1).is_constant() && x.dim(-1) != Dim(2)))
    call.refuse("its last axis must be of two parts, found ", shape_text(x.shape()));
  return seen_as(call, true);
}

// aten.view_as_real(Tensor self) -> Tensor
Item view_as_real(const Call& call, Builder&) { return seen_as(call, false); }

// aten.real(Tensor self) -> Tensor, of a complex tensor
Item complex_real(const Call& call, Builder&) { return part_view(call, 0); }

// aten.imag(Tensor self) -> Tensor, of a complex tensor
Item complex_imag(const Call& call, Builder&) { return part_view(call, 1); }

// aten.abs(Tensor self) -> Tensor, of a complex tensor
Item complex_abs(const Call& call, Builder&) {
  return sqrt(square_of_absolute(call.tensor("self")));
}

// aten.angle(Tensor self) -> Tensor, of a complex tensor
Item complex_angle(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  return angle_of(imaginary_part(x), real_part(x));
}

// aten.conj(Tensor self) -> Tensor, of a complex tensor
Item complex_conj(const Call& call, Builder&) {
  return complex_item(conjugate(call.tensor("self")));
}

// aten.exp(Tensor self) -> Tensor, of a complex tensor
Item complex_exp(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  const Value angle = imaginary_part(x);
  const Value pairs = pairs_of(g.node("Cos", {angle}), sin(angle));
  return complex_item(pairs * spread_over_parts(exp(real_part(x))));
}

// aten.copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor, where one is complex
Item complex_copy(const Call& call, Builder&) {
  if (!is_complex_argument(call, "self")) call.refuse("it copies complex numbers to a real tensor");
  const Value self = call.tensor("self");
  return spread_over(call, self, as_pairs(call, "src", self.dtype()));
}

// aten.fill.Scalar(Tensor self, Scalar value) -> Tensor, where one is complex
Item complex_fill(const Call& call, Builder&) {
  if (!is_complex_argument(call, "self"))
    call.refuse("it fills a real tensor with a complex number");
  const Value self = call.tensor("self");
  return spread_over(call, self, as_pairs(call, "value", self.dtype()));
}

// aten.where.self(Tensor condition, Tensor self, Tensor other) -> Tensor, where one is complex
Item complex_where(const Call& call, Builder&) {
  const Value condition = spread_over_parts(call.tensor_as("condition", DType::kBool));
  const DType dtype = voxport::part_of(result_type({{call.item("self"), call.item("other")}}));
  const Value yes = as_pairs(call, "self", dtype);
  const Value no = as_pairs(call, "other", dtype);
  for (const Value& value : {yes, no}) call.walk().note_fixed(condition.shape(), value.shape());
  return complex_item(where(condition, yes, no));
}

// aten.square(Tensor self) -> Tensor, of a complex tensor
Item complex_square(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  return complex_item(product_of_pairs(x, x));
}

// aten.reciprocal(Tensor self) -> Tensor, of a complex tensor
Item complex_reciprocal(const Call& call, Builder&) {
  return complex_item(reciprocal_of(call.tensor("self")));
}

// aten.sqrt(Tensor self) -> Tensor, of a complex tensor
Item complex_sqrt(const Call& call, Builder&) {
  return complex_item(raised(call.tensor("self"), 0.5));
}

// aten.log(Tensor self) -> Tensor, of a complex tensor
Item complex_log(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const Value radius = sqrt(square_of_absolute(x));
  return complex_item(pairs_of(Builder(x.graph()).node("Log", {radius}),
                               angle_of(imaginary_part(x), real_part(x))));
}

// aten.sgn(Tensor self) -> Tensor, of a complex tensor: 0 of 0.
Item complex_sgn(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  const Value radius = spread_over_parts(sqrt(square_of_absolute(x)));
  const Value zero = g.scalar(0, x.dtype());
  return complex_item(where(g.node("Equal", {radius, zero}), zero, x / radius));
}

// aten.pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor, of a complex tensor
Item complex_pow(const Call& call, Builder&) {
  const Number* exponent = call.item("exponent").number();
  if (!is_complex_argument(call, first(call)) || !exponent || !exponent->is_constant())
    call.refuse("it raises to a complex power, or to one that is no number");
  const Value x = call.tensor(first(call));
  const double power = *exponent->as_float();
  if (power == 1) return complex_item(x);
  if (power == 2) return complex_item(product_of_pairs(x, x));
  return complex_item(power == -1 ? reciprocal_of(x) : raised(x, power));
}

// aten.mul.Tensor(Tensor self, Tensor other) -> Tensor, where one is complex
Item complex_mul(const Call& call, Builder&) {
  const DType dtype = part_type(call);
  const Value a = call.tensor_as(first(call), dtype);
  const Value b = call.tensor_as(second(call), dtype);
  if (!is_complex_argument(call, second(call))) return complex_item(a * spread_over_parts(b));
  if (!is_complex_argument(call, first(call))) return complex_item(spread_over_parts(a) * b);
  return complex_item(product_of_pairs(a, b));
}

// aten.div.Tensor(Tensor self, Tensor other) -> Tensor, where one is complex
Item complex_div(const Call& call, Builder&) {
  if (call.has("rounding_mode")) call.refuse("it rounds complex numbers");
  const DType dtype = part_type(call);
  const Value a = call.tensor_as(first(call), dtype);
  const Value b = call.tensor_as(second(call), dtype);
  if (!is_complex_argument(call, second(call))) return complex_item(a / spread_over_parts(b));
  const Value upper = is_complex_argument(call, first(call)) ? product_of_pairs(a, conjugate(b))
                                                             : spread_over_parts(a) * conjugate(b);
  return complex_item(upper / spread_over_parts(square_of_absolute(b)));
}

}  // namespace voxport::ops
