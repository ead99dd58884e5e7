// Arithmetic on the elements of two and three tensors.
#include <cmath>
#include <numbers>

#include "lower/ops/operands.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// other, times alpha where that is not 1.
Value scaled(const Call& call, const Value& other) {
  const Number* alpha = call.item("alpha").number();
  if (!alpha || alpha->as_float() == 1) return other;
  return apply_op("Mul", {other, call.scopes().value_of(*alpha, other.dtype())});
}

const std::vector<Item>& items_of(const Call& call, std::size_t i) {
  const Container* container = call.at(i).container();
  if (!container) call.refuse("it joins a list and ", call.at(i).kind_name());
  if (container->stacked) call.refuse("it copies a list whose length is known only at run time");
  return container->items;
}

// Two lists, one after the other.
Item joined_lists(const Call& call) {
  if (call.program_call().target.starts_with("aten.add_")) {
    Builder g(call.scopes().graph());
    return extend(call, g);
  }
  std::vector<Item> items = items_of(call, 0);
  const std::vector<Item>& more = items_of(call, 1);
  items.insert(items.end(), more.begin(), more.end());
  return Item::list(std::move(items));
}

// aten.mul.left_t(t[] l, int n) -> t[]
Item repeated_list(const Call& call) {
  const bool is_first = call.at(0).is_list();
  const std::int64_t times = call.integer(is_first ? second(call) : first(call));
  const std::vector<Item>& once = items_of(call, is_first ? 0 : 1);
  constexpr std::int64_t kMaxItems = 1 << 20;
  if (times > 0 && !once.empty() && times > kMaxItems / static_cast<std::int64_t>(once.size()))
    call.refuse("it makes a list of more than ", kMaxItems, " items");
  std::vector<Item> items;
  for (std::int64_t i = 0; i < times; ++i) items.insert(items.end(), once.begin(), once.end());
  return Item::list(std::move(items));
}

// ONNX's Add and Mul do not support bools.
Value sum_of(const Value& a, const Value& b) {
  if (a.dtype() == DType::kBool) return Builder(a.graph()).node("Or", {a, b});
  return apply_op("Add", {a, b});
}

Value product_of(const Value& a, const Value& b) {
  if (a.dtype() == DType::kBool) return Builder(a.graph()).node("And", {a, b});
  return apply_op("Mul", {a, b});
}

// With the sign of the divisor.
Value remainder_of(const Value& a, const Value& b) {
  if (!is_floating(a.dtype())) return apply_op("Mod", {a, b});
  Builder g(a.graph());
  const Value left = g.node("Mod", {a, b}, {{"fmod", std::int64_t{1}}});
  const Value zero = like(a, 0);
  return where(less(left * g.node("Sign", {b}), zero), left + b, left);
}

Value extreme(const char* op, const Value& a, const Value& b) {
  if (a.dtype() != DType::kBool) return apply_op(op, {a, b});
  return Builder(a.graph()).node(std::string_view(op) == "Max" ? "Or" : "And", {a, b});
}

// The limit that is a number beats the other when what it meets is not one.
Value extreme_of_numbers(const char* op, const Value& a, const Value& b) {
  if (!is_floating(a.dtype())) return extreme(op, a, b);
  return where(is_nan(a), b, where(is_nan(b), a, extreme(op, a, b)));
}

// Two numbers. Where a limit is left out Clip ends at the largest float, not at infinity, and it
// does not say what becomes of x where one is NaN.
bool are_plain_limits(const Call& call) {
  const auto is_plain = [](const Number* number) {
    return number && number->is_constant() && !std::isnan(*number->as_float());
  };
  return is_plain(call.item("min").number()) && is_plain(call.item("max").number());
}

// log(base^a + base^b), from the larger of the two.
Value log_add(const Call& call, double log_of_base) {
  const std::vector<Value> values = both_floats(call);
  const Value& a = values[0];
  const Value& b = values[1];
  Builder g(a.graph());
  // Two infinities are apart by nothing.
  const Value apart = where(g.node("Equal", {a, b}), like(a, 0), voxport::abs(a - b)) * log_of_base;
  const Value more = apply_op("Softplus", {g.node("Neg", {apart})});
  return g.node("Max", {a, b}) + (log_of_base == 1 ? more : more / log_of_base);
}

Value x_times_log(const Value& x, const Value& y, const Value& log) {
  Builder g(x.graph());
  const Value is_zero = g.node("Equal", {x, like(x, 0)});
  const Value counts = g.node("And", {is_zero, g.node("Not", {is_nan(y)})});
  return where(counts, like(x, 0), x * log);
}

}  // namespace

// Of floats the quotient may be rounded up to a whole number that is too large; the remainder shows
// that.
Value floor_quotient(const Value& a, const Value& b) {
  const Value whole = apply_op("Div", {apply_op("Sub", {a, remainder_of(a, b)}), b});
  if (!is_floating(a.dtype())) return whole;
  Builder g(a.graph());
  return where(g.node("Equal", {b, like(b, 0)}), a / b, voxport::round(whole));
}

// aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
Item add(const Call& call, Builder&) {
  if (are_numbers(call)) return on_numbers(call, Arithmetic::kAdd);
  if (call.at(0).is_list()) return joined_lists(call);
  if (const std::string* text = call.at(0).text()) return *text + call.text(second(call));
  const std::vector<Value> values = both(call);
  return sum_of(values[0], scaled(call, values[1]));
}

// aten._add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
Item add_relu(const Call& call, Builder&) {
  const std::vector<Value> values = both(call);
  return apply_op("Relu", {sum_of(values[0], scaled(call, values[1]))});
}

// prim.add_optional(Tensor input, Tensor? bias) -> Tensor
Item add_optional(const Call& call, Builder&) {
  if (call.at(1).is_none()) return call.at(0);
  const std::vector<Value> values = both(call);
  return sum_of(values[0], values[1]);
}

// aten.addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
Item addcdiv(const Call& call, Builder&) {
  const std::vector<Value> values = call.promoted({first(call), "tensor1", "tensor2"});
  if (!is_floating(values[0].dtype())) call.refuse("PyTorch does not divide ints here");
  const Value factor = call.tensor_as("value", values[0].dtype());
  return values[0] + factor * (values[1] / values[2]);
}

// aten.addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
Item addcmul(const Call& call, Builder&) {
  const std::vector<Value> values = call.promoted({first(call), "tensor1", "tensor2"});
  const Value factor = call.tensor_as("value", values[0].dtype());
  return sum_of(values[0], product_of(product_of(factor, values[1]), values[2]));
}

// aten.atan2(Tensor self, Tensor other) -> Tensor
Item atan2(const Call& call, Builder& g) {
  if (are_numbers(call)) return on_known_floats(call, std::atan2);
  const std::vector<Value> values = both_floats(call);
  const Value& y = values[0];
  const Value& x = values[1];
  const Value zero = like(x, 0);
  // The origin has the angles of the axis.
  const Value is_origin = g.node("And", {g.node("Equal", {x, zero}), g.node("Equal", {y, zero})});
  const Value angle = apply_op("Atan", {where(is_origin, y, y / x)});
  const Value half_turn =
      where(is_negative(y), like(x, -std::numbers::pi), like(x, std::numbers::pi));
  return where(is_negative(x), angle + half_turn, angle);
}

// aten.clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
// aten.clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
// Where min is above max, max counts. What is not a number stays so.
Item clamp(const Call& call, Builder&) {
  std::vector<std::string_view> names = {first(call)};
  if (call.has("min")) names.emplace_back("min");
  if (call.has("max")) names.emplace_back("max");
  if (names.size() == 1) call.refuse("it has neither min nor max");
  const std::vector<Value> values = call.promoted(names);
  Value x = values[0];
  const bool is_size = x.type().elements.has_value();  // infer() follows Max and Min
  if (!is_size && are_plain_limits(call)) return apply_op("Clip", values);
  if (call.has("min")) x = extreme("Max", x, values[1]);
  if (call.has("max")) x = extreme("Min", x, values.back());
  return x;
}

// aten.copysign.Tensor(Tensor self, Tensor other) -> Tensor
Item copysign(const Call& call, Builder& g) {
  if (are_numbers(call)) return on_known_floats(call, std::copysign);
  const std::vector<Value> values = both_floats(call);
  const Value size = voxport::abs(values[0]);
  return where(is_negative(values[1]), g.node("Neg", {size}), size);
}

// aten.div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
Item div(const Call& call, Builder&) {
  if (are_numbers(call)) return on_numbers(call, Arithmetic::kTrueDiv);
  const std::string mode = call.has("rounding_mode") ? call.text("rounding_mode") : "";
  if (mode.empty()) {
    const std::vector<Value> values = both_floats(call);
    return values[0] / values[1];
  }
  const std::vector<Value> values = both(call);
  if (mode == "floor") return floor_quotient(values[0], values[1]);
  if (mode != "trunc") call.refuse("its rounding_mode is ", in_quotes(mode));
  const Value quotient = apply_op("Div", values);
  return is_floating(quotient.dtype()) ? truncated(quotient) : quotient;
}

// aten.float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
Item float_power(const Call& call, Builder& g) {
  return g.node("Pow", {call.tensor_as(first(call), DType::kFloat64),
                        call.tensor_as(second(call), DType::kFloat64)});
}

// aten.floor_divide(Tensor self, Tensor other) -> Tensor
Item floor_divide(const Call& call, Builder&) {
  if (are_numbers(call)) return on_numbers(call, Arithmetic::kFloorDiv);
  const std::vector<Value> values = both(call);
  return floor_quotient(values[0], values[1]);
}

// aten.fmax(Tensor self, Tensor other) -> Tensor
Item fmax(const Call& call, Builder&) {
  const std::vector<Value> values = both(call);
  return extreme_of_numbers("Max", values[0], values[1]);
}

// aten.fmin(Tensor self, Tensor other) -> Tensor
Item fmin(const Call& call, Builder&) {
  const std::vector<Value> values = both(call);
  return extreme_of_numbers("Min", values[0], values[1]);
}

// aten.fmod.Tensor(Tensor self, Tensor other) -> Tensor
// The sign is the dividend's.
Item fmod(const Call& call, Builder&) {
  if (are_numbers(call)) return on_known_floats(call, std::fmod);
  return apply_op("Mod", both(call), {{"fmod", std::int64_t{1}}});
}

// aten.heaviside(Tensor self, Tensor values) -> Tensor
Item heaviside(const Call& call, Builder&) {
  const std::vector<Value> values = both(call);
  const Value& x = values[0];
  const Value zero = like(x, 0);
  const Value step = cast(apply_op("Greater", {x, zero}), x.dtype());
  return apply_op("Where", {apply_op("Equal", {x, zero}), values[1], step});
}

// aten.hypot(Tensor self, Tensor other) -> Tensor
Item hypot(const Call& call, Builder&) {
  const std::vector<Value> values = both_floats(call);
  return sqrt(values[0] * values[0] + values[1] * values[1]);
}

// aten.ldexp.Tensor(Tensor self, Tensor other) -> Tensor
Item ldexp(const Call& call, Builder& g) {
  const std::vector<Value> values = both_floats(call);
  return values[0] * g.node("Pow", {like(values[1], 2), values[1]});
}

// aten.lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor
Item lerp(const Call& call, Builder&) {
  const std::vector<Value> values = call.promoted({first(call), "end"});
  const Value weight = call.tensor_as("weight", values[0].dtype());
  return values[0] + weight * (values[1] - values[0]);
}

// aten.logaddexp(Tensor self, Tensor other) -> Tensor
Item logaddexp(const Call& call, Builder&) { return log_add(call, 1); }

// aten.logaddexp2(Tensor self, Tensor other) -> Tensor
Item logaddexp2(const Call& call, Builder&) { return log_add(call, std::numbers::ln2); }

// aten.masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor
Item masked_fill(const Call& call, Builder&) {
  const Value x = operand(call);
  const Value mask = call.tensor_as("mask", DType::kBool);
  call.walk().note_fixed(x.shape(), mask.shape());
  return apply_op("Where", {mask, call.tensor_as("value", x.dtype()), x});
}

// aten.maximum(Tensor self, Tensor other) -> Tensor
// aten.max.other(Tensor self, Tensor other) -> Tensor
Item maximum(const Call& call, Builder&) {
  const std::vector<Value> values = both(call);
  return extreme("Max", values[0], values[1]);
}

// aten.minimum(Tensor self, Tensor other) -> Tensor
// aten.min.other(Tensor self, Tensor other) -> Tensor
Item minimum(const Call& call, Builder&) {
  const std::vector<Value> values = both(call);
  return extreme("Min", values[0], values[1]);
}

// aten.mul.Tensor(Tensor self, Tensor other) -> Tensor
Item mul(const Call& call, Builder&) {
  if (are_numbers(call)) return on_numbers(call, Arithmetic::kMul);
  if (call.at(0).is_list() || call.at(1).is_list()) return repeated_list(call);
  const std::vector<Value> values = both(call);
  return product_of(values[0], values[1]);
}

// aten.neg(Tensor self) -> Tensor
Item neg(const Call& call, Builder&) {
  if (const Number* number = call.at(0).number()) return negative(call.scopes(), *number);
  return apply_op("Neg", {operand(call)});
}

// aten.pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
// aten.pow.int(int a, int b) -> float, aten.pow.int_to_int(int a, int b) -> int
Item pow(const Call& call, Builder&) {
  if (are_numbers(call)) {
    const Number power = on_numbers(call, Arithmetic::kPow);
    return call.overload() == "int" ? as_kind(call.scopes(), power, Number::Kind::kFloat) : power;
  }
  const std::vector<Value> values = both(call);
  const Number* exponent = call.at(1).number();
  if (values[0].dtype() == DType::kBool) call.refuse("it raises bools to the power of bools");
  if (exponent && exponent->as_float() == 0.5) return sqrt(values[0]);
  if (exponent && !is_floating(values[0].dtype()) && exponent->as_int().value_or(0) < 0)
    call.refuse("PyTorch does not raise ints to a negative power");
  return apply_op("Pow", values);
}

// aten.remainder.Tensor(Tensor self, Tensor other) -> Tensor
Item remainder(const Call& call, Builder&) {
  if (are_numbers(call)) return on_numbers(call, Arithmetic::kRemainder);
  const std::vector<Value> values = both(call);
  return remainder_of(values[0], values[1]);
}

// aten.rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
Item rsub(const Call& call, Builder&) {
  const std::vector<Value> values = both(call);
  return apply_op("Sub", {values[1], scaled(call, values[0])});
}

// aten.special_xlog1py(Tensor self, Tensor other) -> Tensor
Item special_xlog1py(const Call& call, Builder& g) {
  const std::vector<Value> values = both_floats(call);
  return x_times_log(values[0], values[1], g.node("Log", {values[1] + 1}));
}

// aten.sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
Item sub(const Call& call, Builder&) {
  if (are_numbers(call)) return on_numbers(call, Arithmetic::kSub);
  const std::vector<Value> values = both(call);
  return apply_op("Sub", {values[0], scaled(call, values[1])});
}

// aten.where.self(Tensor condition, Tensor self, Tensor other) -> Tensor
Item where_self(const Call& call, Builder&) {
  const Value condition = call.tensor_as("condition", DType::kBool);
  const std::vector<Value> values = call.promoted({"self", "other"});
  for (const Value& value : values) call.walk().note_fixed(condition.shape(), value.shape());
  return apply_op("Where", {condition, values[0], values[1]});
}

// aten.xlogy.Tensor(Tensor self, Tensor other) -> Tensor
Item xlogy(const Call& call, Builder& g) {
  const std::vector<Value> values = both_floats(call);
  return x_times_log(values[0], values[1], g.node("Log", {values[1]}));
}

}  // namespace voxport::ops
