// Comparisons and logic.
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

}  // namespace voxport::ops
