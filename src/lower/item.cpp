#include "lower/item.h"

#include <cmath>

namespace voxport {

Number Number::of_bool(bool value) {
  Number number;
  number.kind_ = Kind::kBool;
  number.dim_ = value ? 1 : 0;
  return number;
}

Number Number::of_int(std::int64_t value) {
  Number number;
  number.dim_ = value;
  return number;
}

Number Number::of_float(double value) {
  Number number;
  number.kind_ = Kind::kFloat;
  number.float_ = value;
  return number;
}

Number Number::of_value(const Value& value, Kind kind, Dim dim) {
  Number number;
  number.kind_ = kind;
  number.dim_ = std::move(dim);
  // A size that is known needs no node, whatever the graph would compute.
  if (kind != Kind::kInt || !number.dim_.is_constant()) number.value_ = value;
  return number;
}

Number Number::of_quotient(const Value& value, Dim above, Dim below) {
  Number number = of_value(value, Kind::kFloat);
  number.quotient_ = std::make_shared<Quotient>(Quotient{std::move(above), std::move(below)});
  return number;
}

std::optional<bool> Number::as_bool() const {
  if (!is_constant()) return std::nullopt;
  return kind_ == Kind::kFloat ? float_ != 0 : dim_.constant() != 0;
}

std::optional<std::int64_t> Number::as_int() const {
  if (!is_constant()) return std::nullopt;
  if (kind_ != Kind::kFloat) return dim_.constant();
  constexpr double kLimit = 9.2e18;
  if (!(std::abs(float_) < kLimit)) return std::nullopt;
  return static_cast<std::int64_t>(float_);
}

std::optional<double> Number::as_float() const {
  if (!is_constant()) return std::nullopt;
  return kind_ == Kind::kFloat ? float_ : static_cast<double>(*dim_.constant());
}

DType Number::dtype() const {
  if (kind_ == Kind::kBool) return DType::kBool;
  return kind_ == Kind::kInt ? DType::kInt64 : DType::kFloat32;
}

Item::Item(const Value& tensor) : data(std::make_shared<TensorCell>(TensorCell{.value = tensor})) {}

Item::Item(const std::vector<Value>& tuple) {
  std::vector<Item> items(tuple.begin(), tuple.end());
  *this = Item::tuple(std::move(items));
}

Item Item::unknown() {
  Item item;
  item.data = Unknown{};
  return item;
}

Item Item::list(std::vector<Item> items) {
  auto container = std::make_shared<Container>();
  container->items = std::move(items);
  return container;
}

Item Item::tuple(std::vector<Item> items) {
  auto container = std::make_shared<Container>();
  container->kind = Container::Kind::kTuple;
  container->items = std::move(items);
  return container;
}

bool Item::is_complex() const { return complex_number() || (cell() && cell()->is_complex); }

TensorCell* Item::cell() const {
  const auto* cell = std::get_if<std::shared_ptr<TensorCell>>(&data);
  return cell ? cell->get() : nullptr;
}

Container* Item::container() const {
  const auto* container = std::get_if<std::shared_ptr<Container>>(&data);
  return container ? container->get() : nullptr;
}

std::string_view Item::kind_name() const {
  if (is_none()) return "None";
  if (is_tensor()) return "a tensor";
  if (text()) return "a string";
  if (complex_number()) return "a complex number";
  if (const Number* n = number())
    return n->kind() == Number::Kind::kBool  ? "a bool"
           : n->kind() == Number::Kind::kInt ? "an int"
                                             : "a float";
  if (const Container* c = container())
    return c->kind == Container::Kind::kList            ? "a list"
           : c->kind == Container::Kind::kTuple         ? "a tuple"
           : c->kind == Container::Kind::kUninitialized ? "what is unset"
           : c->kind == Container::Kind::kMaybe ? "what is None or not, depending on the run"
                                                : "a dict";
  return "unknown";
}

}  // namespace voxport
