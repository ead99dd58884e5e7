// Python's numbers and texts.
#include <cmath>
#include <numeric>

#include "base/parse_number.h"
#include "lower/arithmetic.h"
#include "lower/ops/operands.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// What str() makes of a value that is not text.
constexpr std::string_view kUntold = "...";

// aten.Int.str(str a) -> int, aten.Float.str(str a) -> float
template <class T>
T parsed(const Call& call, const std::string& text) {
  const auto value = parse_number<T>(text);
  if (!value) call.refuse("the text ", in_quotes(text), " is not a number");
  return *value;
}

Item parsed_text(const Call& call, const std::string& text) {
  if (call.name() == "aten.Int") return Number::of_int(parsed<std::int64_t>(call, text));
  return Number::of_float(parsed<double>(call, text));
}

Number extreme_of_list(const Call& call, Arithmetic what) {
  const std::vector<Number> numbers = call.numbers(first(call));
  if (numbers.empty()) call.refuse("it is given an empty list");
  Number result = numbers.front();
  for (const Number& number : numbers) result = compute(call.scopes(), what, result, number);
  return result;
}

Number extreme(const Call& call, Arithmetic what) {
  if (!call.at(0).container()) return on_numbers(call, what);
  if (call.arguments().size() > 1) call.refuse("it compares lists");
  return extreme_of_list(call, what);
}

}  // namespace

// aten.floordiv(int a, int b) -> int
Item floordiv(const Call& call, Builder&) { return on_numbers(call, Arithmetic::kFloorDiv); }

// aten.__round_to_zero_floordiv(int a, int b) -> int
Item round_to_zero_floordiv(const Call& call, Builder&) {
  const Number a = call.number("a");
  const Number b = call.number("b");
  if (b.as_int() == 0) call.refuse("it divides by 0");
  Scopes& scopes = call.scopes();
  if (b.as_int() == -1) return negative(scopes, a);
  if (a.is_constant() && b.is_constant()) return Number::of_int(*a.as_int() / *b.as_int());
  return scopes.size_of(scopes.value_of(a) / scopes.value_of(b));  // as ONNX divides ints
}

// aten.divmod.int(int x, int y) -> (int, int)
Item divmod(const Call& call, Builder&) {
  return Item::tuple(
      {on_numbers(call, Arithmetic::kFloorDiv), on_numbers(call, Arithmetic::kRemainder)});
}

// aten.fabs.int(int a) -> float
Item fabs(const Call& call, Builder& g) {
  const Item absolute = abs(call, g);
  if (!absolute.number()) call.refuse("it takes ", absolute.kind_name(), ", expected a number");
  return as_kind(call.scopes(), *absolute.number(), Number::Kind::kFloat);
}

// aten.gcd.int(int a, int b) -> int
Item gcd(const Call& call, Builder&) {
  return Number::of_int(std::gcd(call.integer("a"), call.integer("b")));
}

// prim.max(Scalar a, Scalar b) -> Scalar, prim.max.self_int(int[] self) -> int
Item prim_max(const Call& call, Builder&) { return extreme(call, Arithmetic::kMax); }

// prim.min(Scalar a, Scalar b) -> Scalar, prim.min.self_int(int[] self) -> int
Item prim_min(const Call& call, Builder&) { return extreme(call, Arithmetic::kMin); }

// aten.sum.int(int[] self) -> int
Item sum_of_list(const Call& call, Builder&) {
  Number sum = Number::of_int(0);
  for (const Number& number : call.numbers(first(call)))
    sum = compute(call.scopes(), Arithmetic::kAdd, sum, number);
  return sum;
}

// prim.NumToTensor(Scalar a) -> Tensor
Item num_to_tensor(const Call& call, Builder&) {
  return call.scopes().value_of(call.number(first(call)));
}

// aten.item(Tensor self) -> Scalar, aten.Int(Tensor a) -> int and their like.
Item number_of_tensor(const Call& call, Builder&) {
  if (const std::string* text = call.at(0).text()) return parsed_text(call, *text);
  const Number number = call.number(first(call));
  const std::string_view name = call.name();
  if (name.starts_with("aten.Int")) return as_kind(call.scopes(), number, Number::Kind::kInt);
  if (name.starts_with("aten.Float")) return as_kind(call.scopes(), number, Number::Kind::kFloat);
  if (name == "aten.Bool") return as_kind(call.scopes(), number, Number::Kind::kBool);
  return number;
}

// aten.find(str self, str substr, int start=0, int end=-1) -> int
// 'cpu' in str(x.device) searches the whole text.
Item find_text(const Call& call, Builder&) {
  const std::string text = call.text("self");
  if (text == kUntold || text.find('{') != std::string::npos)
    call.refuse("it searches a text that is not written out");
  if (call.integer("start") != 0 || call.integer("end") != static_cast<std::int64_t>(text.size()))
    call.refuse("it searches a part of a text");
  const std::size_t found = text.find(call.text("substr"));
  return Number::of_int(found == std::string::npos ? -1 : static_cast<std::int64_t>(found));
}

// aten.format(str self, ...) -> str: serves messages, which no graph gives.
Item format(const Call& call, Builder&) {
  return call.at(0).text() ? call.at(0) : Item(std::string(kUntold));
}

}  // namespace voxport::ops
