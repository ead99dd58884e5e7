#include "lower/arithmetic.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// The first two arguments: self and other of tensors, a and b of numbers.
const std::string& first(const Call& call) { return call.arguments()[0].first; }
const std::string& second(const Call& call) { return call.arguments()[1].first; }

bool are_numbers(const Call& call) {
  return call.item(first(call)).number() && call.item(second(call)).number();
}

Number on_numbers(const Call& call, Arithmetic what) {
  return compute(call.lowering(), what, call.number(first(call)), call.number(second(call)));
}

std::vector<Value> both(const Call& call) { return call.promoted({first(call), second(call)}); }

// other, times alpha where that is not 1.
Value scaled_other(const Call& call, const Value& other) {
  const Item& alpha = call.item("alpha");
  if (!alpha.number() || alpha.number()->as_float() == 1) return other;
  return other * call.lowering().value_of(*alpha.number(), other.dtype());
}

// Two lists, one after the other.
Item joined_lists(const Call& call) {
  std::vector<Item> items = call.item(first(call)).container()->items;
  const auto& more = call.item(second(call)).container()->items;
  items.insert(items.end(), more.begin(), more.end());
  return Item::list(std::move(items));
}

// Bools know neither Add nor Mul in ONNX.
Value sum_of(const Value& a, const Value& b, Builder& g) {
  return a.dtype() == DType::kBool ? g.node("Or", {a, b}) : a + b;
}

}  // namespace

// aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
Item add(const Call& call, Builder& g) {
  if (are_numbers(call)) return on_numbers(call, Arithmetic::kAdd);
  if (call.item(first(call)).is_list()) return joined_lists(call);
  if (const std::string* text = call.item(first(call)).text())
    return *text + call.text(second(call));
  const std::vector<Value> values = both(call);
  return sum_of(values[0], scaled_other(call, values[1]), g);
}

// aten.sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
Item sub(const Call& call, Builder&) {
  if (are_numbers(call)) return on_numbers(call, Arithmetic::kSub);
  const std::vector<Value> values = both(call);
  return values[0] - scaled_other(call, values[1]);
}

// aten.mul.Tensor(Tensor self, Tensor other) -> Tensor
Item mul(const Call& call, Builder& g) {
  if (are_numbers(call)) return on_numbers(call, Arithmetic::kMul);
  const std::vector<Value> values = both(call);
  if (values[0].dtype() == DType::kBool) return g.node("And", values);
  return values[0] * values[1];
}

// aten.div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
Item div(const Call& call, Builder& g) {
  if (are_numbers(call)) return on_numbers(call, Arithmetic::kTrueDiv);
  const std::string mode = call.has("rounding_mode") ? call.text("rounding_mode") : "";
  std::vector<Value> values = both(call);
  const bool is_float = is_floating(values[0].dtype());
  if (mode.empty() && !is_float)
    for (Value& value : values) value = cast(value, DType::kFloat32);
  if (mode.empty()) return values[0] / values[1];
  if (mode == "trunc") {
    const Value quotient = values[0] / values[1];
    if (!is_float) return quotient;
    return g.node("Sign", {quotient}) * g.node("Floor", {abs(quotient)});
  }
  if (is_float) return g.node("Floor", {values[0] / values[1]});
  return (values[0] - g.node("Mod", values)) / values[1];
}

// aten.remainder.Tensor(Tensor self, Tensor other) -> Tensor
// The sign is the divisor's.
Item remainder(const Call& call, Builder& g) {
  if (are_numbers(call)) return on_numbers(call, Arithmetic::kRemainder);
  const std::vector<Value> values = both(call);
  if (!is_floating(values[0].dtype())) return g.node("Mod", values);
  return values[0] - g.node("Floor", {values[0] / values[1]}) * values[1];
}

// aten.neg(Tensor self) -> Tensor
Item neg(const Call& call, Builder& g) {
  const Item& self = call.item(first(call));
  if (self.number()) return negative(call.lowering(), *self.number());
  return g.node("Neg", {call.tensor(first(call))});
}

Item compared(const Call& call, Builder& g, const char* op) {
  if (are_numbers(call))
    return voxport::compare(call.lowering(), op, call.number(first(call)),
                            call.number(second(call)));
  const Item& a = call.item(first(call));
  const Item& b = call.item(second(call));
  if (a.text() && b.text()) return Number::of_bool(*a.text() == *b.text());
  if (a.container() && b.container()) call.refuse("it compares two containers");
  std::vector<Value> values = both(call);
  // Of bools ONNX knows Equal alone.
  if (values[0].dtype() == DType::kBool && std::string_view(op) != "Equal")
    for (Value& value : values) value = cast(value, DType::kInt32);
  return g.node(op, values);
}

// aten.ne.Tensor(Tensor self, Tensor other) -> Tensor
Item not_equal(const Call& call, Builder& g) {
  const Item equal = compared(call, g, "Equal");
  if (equal.number()) return logical_not(call.lowering(), *equal.number());
  return g.node("Not", {call.lowering().read(*equal.cell())});
}

// aten.__not__(bool self) -> bool
Item not_(const Call& call, Builder&) {
  return logical_not(call.lowering(), call.number(first(call)));
}

// aten.__and__.Tensor(Tensor self, Tensor other) -> Tensor
Item logical_and(const Call& call, Builder& g) {
  if (are_numbers(call))
    return voxport::logical_and(call.lowering(), call.number(first(call)),
                                call.number(second(call)));
  const std::vector<Value> values = both(call);
  if (values[0].dtype() != DType::kBool) call.refuse("it works on the bits of ints");
  return g.node("And", values);
}

// aten.__or__.Tensor(Tensor self, Tensor other) -> Tensor
Item logical_or(const Call& call, Builder& g) {
  if (are_numbers(call))
    return voxport::logical_or(call.lowering(), call.number(first(call)),
                               call.number(second(call)));
  const std::vector<Value> values = both(call);
  if (values[0].dtype() != DType::kBool) call.refuse("it works on the bits of ints");
  return g.node("Or", values);
}

// aten.gelu(Tensor self, *, str approximate="none") -> Tensor
Item gelu(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  if (!call.has("approximate") || call.text("approximate") == "none") return voxport::gelu(x);
  constexpr double kSqrtTwoOverPi = 0.7978845608028654;
  const Value inner = (x + x * x * x * 0.044715) * kSqrtTwoOverPi;
  return x * (tanh(inner) + 1) * 0.5;
}

}  // namespace voxport::ops
