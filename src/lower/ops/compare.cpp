// Comparisons, logic, and the bits of ints.
#include <bit>
#include <limits>

#include "lower/ops/operands.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

Number all_of(Scopes& scopes, const std::vector<Number>& numbers) {
  Number result = Number::of_bool(true);
  for (const Number& number : numbers) result = voxport::logical_and(scopes, result, number);
  return result;
}

Number is_equal(const Call& call, const Item& a, const Item& b) {
  if (a.number() && b.number())
    return voxport::compare(call.scopes(), "Equal", *a.number(), *b.number());
  if (a.text() && b.text()) return Number::of_bool(*a.text() == *b.text());
  if (a.is_none() || b.is_none()) return Number::of_bool(a.is_none() == b.is_none());
  const Container* x = a.container();
  const Container* y = b.container();
  if (!x || !y) call.refuse("it compares ", a.kind_name(), " with ", b.kind_name());
  if (x->stacked || y->stacked)
    call.refuse("it compares lists whose length is known only at run time");
  if (x->items.size() != y->items.size() || x->names != y->names) return Number::of_bool(false);
  std::vector<Number> parts;
  for (std::size_t i = 0; i < x->items.size(); ++i)
    parts.push_back(is_equal(call, x->items[i], y->items[i]));
  return all_of(call.scopes(), parts);
}

bool are_tensors(const Call& call) { return call.at(0).is_tensor() || call.at(1).is_tensor(); }

Value close(const Call& call) {
  const std::vector<Value> values = both(call);
  Builder g(values[0].graph());
  const Value equal = apply_op("Equal", values);
  const Value a = converted(values[0], floating(values[0].dtype()));
  const Value b = converted(values[1], floating(values[1].dtype()));
  const Value apart = voxport::abs(a - b);
  const Value allowed = voxport::abs(b) * call.real("rtol") + call.real("atol");
  const Value is_finite = less(apart, like(apart, std::numeric_limits<double>::infinity()));
  const Value near = g.node("And", {is_finite, g.node("LessOrEqual", {apart, allowed})});
  const Value result = g.node("Or", {equal, near});
  if (!call.flag("equal_nan")) return result;
  return g.node("Or", {result, g.node("And", {is_nan(a), is_nan(b)})});
}

// Both as bools.
Item logical(const Call& call, const char* op) {
  std::vector<Value> values = {call.tensor_as(first(call), DType::kBool),
                               call.tensor_as(second(call), DType::kBool)};
  call.walk().note_fixed(values[0].shape(), values[1].shape());
  Builder g(values[0].graph());
  return g.node(op, std::move(values));
}

constexpr int kBits = 64;

// The bits of x that are in a mask which is not negative. A run of ones from bit `low` to below
// `high` cuts out x mod 2^high - x mod 2^low, also of a negative x.
Value masked(const Value& x, std::uint64_t mask) {
  Value sum;
  for (int low = 0; low < kBits - 2; ++low) {
    if (!(mask >> low & 1)) continue;
    const int high = low + std::countr_one(mask >> low);
    Builder g(x.graph());
    Value run = apply_op("Mod", {x, g.int64(std::int64_t{1} << high)});
    if (low > 0) run = run - apply_op("Mod", {x, g.int64(std::int64_t{1} << low)});
    sum = sum ? sum + run : run;
    low = high;
  }
  return sum ? sum : x * 0;
}

// x & mask, in int64. A negative mask takes away the bits that it lacks.
Value bits_in_both(const Call& call, const Value& x, std::int64_t mask) {
  const auto bits = static_cast<std::uint64_t>(mask < 0 ? ~mask : mask);
  if (bits >> (kBits - 2)) call.refuse("the bits of ", mask, " are too many for arithmetic");
  const Value part = masked(x, bits);
  return mask < 0 ? x - part : part;
}

std::optional<std::int64_t> known_int(const Call& call, std::size_t i) {
  if (const Number* number = call.at(i).number()) return number->as_int();
  const Value value = call.tensor(call.arguments()[i].first);
  const Tensor* constant = value.constant();
  if (!constant || constant->numel() != 1 || value.rank() != 0) return std::nullopt;
  return call.scopes().number_of(value).as_int();
}

// a | b = a + b - (a & b), a ^ b = a + b - 2(a & b)
Value bits(const Call& call, const std::vector<Value>& values, std::string_view op) {
  const auto a = known_int(call, 0);
  const auto b = known_int(call, 1);
  if (!a && !b)
    call.refuse("it works on the bits of two tensors of ints, which ONNX has from opset 18 on");
  const std::int64_t mask = b ? *b : *a;
  const Value x = converted(values[b ? 0 : 1], DType::kInt64);
  const Value common = bits_in_both(call, x, mask);
  if (op == "And") return common;
  const Value sum = x + Builder(x.graph()).int64(mask);
  return sum - (op == "Or" ? common : common + common);
}

Number bits_of_numbers(const Call& call, std::string_view op) {
  const Number& a = *call.at(0).number();
  const Number& b = *call.at(1).number();
  Scopes& scopes = call.scopes();
  const bool are_bools = a.kind() == Number::Kind::kBool && b.kind() == Number::Kind::kBool;
  if (are_bools && op == "And") return voxport::logical_and(scopes, a, b);
  if (are_bools && op == "Or") return voxport::logical_or(scopes, a, b);
  if (are_bools) return voxport::logical_not(scopes, voxport::compare(scopes, "Equal", a, b));
  const std::int64_t x = call.integer(first(call));
  const std::int64_t y = call.integer(second(call));
  return Number::of_int(op == "And" ? x & y : op == "Or" ? x | y : x ^ y);
}

Value power_of_two(const Value& exponent) {
  Builder g(exponent.graph());
  return g.node("Pow", {g.int64(2), converted(exponent, DType::kInt64)});
}

Number shifted_number(const Call& call, bool to_the_left) {
  const Number& times = *call.at(1).number();
  const Number factor = compute(call.scopes(), Arithmetic::kPow, Number::of_int(2), times);
  return compute(call.scopes(), to_the_left ? Arithmetic::kMul : Arithmetic::kFloorDiv,
                 *call.at(0).number(), factor);
}

// Shifts to the right round down.
Item shifted(const Call& call, bool to_the_left) {
  if (are_numbers(call)) return shifted_number(call, to_the_left);
  const std::vector<Value> values = both(call);
  if (!is_integral(values[0].dtype())) call.refuse("it shifts the bits of what are no ints");
  const Value x = converted(values[0], DType::kInt64);
  const Value factor = power_of_two(values[1]);
  const Value result = to_the_left ? x * factor : (x - apply_op("Mod", {x, factor})) / factor;
  return converted(result, values[0].dtype());
}

}  // namespace

Item compared(const Call& call, const char* op) {
  if (are_numbers(call))
    return voxport::compare(call.scopes(), op, *call.at(0).number(), *call.at(1).number());
  if (!are_tensors(call) && std::string_view(op) == "Equal")
    return is_equal(call, call.at(0), call.at(1));
  return apply_op(op, both(call));
}

// aten.ne.Tensor(Tensor self, Tensor other) -> Tensor
Item not_equal(const Call& call, Builder& g) {
  const Item equal = compared(call, "Equal");
  if (equal.number()) return voxport::logical_not(call.scopes(), *equal.number());
  return g.node("Not", {call.memory().read(*equal.cell())});
}

// aten.__not__(bool self) -> bool
Item not_(const Call& call, Builder&) {
  return voxport::logical_not(call.scopes(), call.number(first(call)));
}

// aten.__contains__.int_list(int[] l, int item) -> bool, and of a dict's keys
Item contains(const Call& call, Builder&) {
  const Container* whole = call.at(0).container();
  if (!whole) call.refuse("it looks into ", call.at(0).kind_name());
  const Item& item = call.at(1);
  if (whole->kind == Container::Kind::kDict)
    return Number::of_bool(std::ranges::find(whole->names, call.text_at(1)) != whole->names.end());
  if (whole->stacked) call.refuse("it looks into a list whose length is known only at run time");
  Number found = Number::of_bool(false);
  for (const Item& part : whole->items)
    found = voxport::logical_or(call.scopes(), found, is_equal(call, part, item));
  return found;
}

// aten.allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08,
//   bool equal_nan=False) -> bool
Item allclose(const Call& call, Builder& g) {
  const Value flat = reshape(cast(close(call), DType::kInt32), {-1});
  const Value least = g.node("ReduceMin", {flat}, {{"keepdims", std::int64_t{0}}});
  return call.scopes().number_of(cast(least, DType::kBool));
}

// aten.isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08,
//   bool equal_nan=False) -> Tensor
Item isclose(const Call& call, Builder&) { return close(call); }

// aten.logical_and(Tensor self, Tensor other) -> Tensor
Item logical_and(const Call& call, Builder&) { return logical(call, "And"); }
Item logical_or(const Call& call, Builder&) { return logical(call, "Or"); }
Item logical_xor(const Call& call, Builder&) { return logical(call, "Xor"); }

// aten.bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor
// aten.__and__.bool(bool a, bool b) -> bool
Item bitwise(const Call& call, const char* op) {
  if (are_numbers(call)) return bits_of_numbers(call, op);
  const std::vector<Value> values = both(call);
  const DType dtype = values[0].dtype();
  if (dtype == DType::kBool) return Builder(values[0].graph()).node(op, values);
  if (!is_integral(dtype)) call.refuse("it works on the bits of floats");
  return converted(bits(call, values, op), dtype);
}

// aten.bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor
Item left_shift(const Call& call, Builder&) { return shifted(call, true); }

// aten.bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor
Item right_shift(const Call& call, Builder&) { return shifted(call, false); }

// aten.__ilshift__.Tensor(Tensor self, Tensor other) -> Tensor
Item left_shift_in_place(const Call& call, Builder&) { return in_place(call, shifted(call, true)); }
Item right_shift_in_place(const Call& call, Builder&) {
  return in_place(call, shifted(call, false));
}

// aten.__iand__.Tensor(Tensor self, Tensor other) -> Tensor: writes to self, unlike its name.
Item in_place(const Call& call, const Item& result) {
  TensorCell* self = call.at(0).cell();
  if (!self || !result.is_tensor()) call.refuse("it writes to ", call.at(0).kind_name());
  Memory& memory = call.memory();
  memory.write(*self, converted(memory.read(*result.cell()), memory.read(*self).dtype()));
  return call.at(0);
}

}  // namespace voxport::ops
