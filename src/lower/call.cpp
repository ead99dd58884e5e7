#include "lower/call.h"

#include <algorithm>

#include "lower/promote.h"
#include "program/program.h"

namespace voxport {
namespace {

[[noreturn]] void wrong_kind(std::string_view name, std::string_view expected, const Item& found) {
  fail(Error::kUnsupported, "its argument ", in_quotes(name), " is ", found.kind_name(),
       ", expected ", expected);
}

// Both parts of a complex number, along one axis.
Value pair_of(Scopes& scopes, std::complex<double> number, DType dtype) {
  Builder g(scopes.graph());
  return concat({unsqueeze(g.scalar(number.real(), dtype), {0}),
                 unsqueeze(g.scalar(number.imag(), dtype), {0})},
                0);
}

}  // namespace

std::string_view Call::name() const { return split_target(call_.target).first; }

const Item& Call::item(std::string_view name) const {
  static const Item kNone;
  for (const auto& [key, item] : arguments_)
    if (key == name) return item;
  return kNone;
}

const Item& Call::at(std::size_t i) const {
  if (i >= arguments_.size())
    refuse("it has ", arguments_.size(), " arguments, expected ", i + 1, " or more");
  return arguments_[i].second;
}

std::string Call::text_at(std::size_t i) const {
  const Item& argument = at(i);
  if (const std::string* text = argument.text()) return *text;
  wrong_kind(cat(i), "a string", argument);
}

Number Call::number_at(std::size_t i) const {
  const Item& argument = at(i);
  if (argument.is_tensor()) return scopes().number_of(memory().read(*argument.cell()));
  if (const Number* number = argument.number()) return *number;
  wrong_kind(cat(i), "a number", argument);
}

Value Call::tensor(std::string_view name) const {
  const Item& argument = item(name);
  if (const Number* number = argument.number()) return scopes().value_of(*number, number->dtype());
  if (const auto* number = argument.complex_number())
    return pair_of(scopes(), *number, DType::kFloat32);
  if (!argument.is_tensor()) wrong_kind(name, "a tensor", argument);
  return memory().read(*argument.cell());
}

Value Call::tensor_or_none(std::string_view name) const {
  return has(name) ? tensor(name) : Value();
}

std::vector<Value> Call::tensors_or_none(std::string_view name) const {
  const Item& argument = item(name);
  if (argument.is_tensor()) return {memory().read(*argument.cell())};
  if (!argument.container()) wrong_kind(name, "a list of tensors", argument);
  if (argument.container()->stacked)
    refuse("its argument ", in_quotes(name), " is a list whose length is known only at run time");
  std::vector<Value> values;
  for (const Item& part : argument.container()->items) {
    if (const Number* number = part.number()) {
      values.push_back(scopes().value_of(*number, number->dtype()));
      continue;
    }
    if (!part.is_tensor() && !part.is_none()) wrong_kind(name, "a list of tensors", part);
    values.push_back(part.is_none() ? Value() : memory().read(*part.cell()));
  }
  return values;
}

std::vector<Value> Call::tensors(std::string_view name) const {
  std::vector<Value> values = tensors_or_none(name);
  if (std::ranges::any_of(values, [](const Value& value) { return !value; }))
    refuse("its argument ", in_quotes(name), " has a None in it");
  return values;
}

Number Call::number(std::string_view name) const {
  const Item& argument = item(name);
  if (argument.is_tensor()) return scopes().number_of(memory().read(*argument.cell()));
  if (!argument.number()) wrong_kind(name, "a number", argument);
  return *argument.number();
}

std::vector<Number> Call::numbers(std::string_view name) const {
  const Item& argument = item(name);
  if (!argument.container()) return {number(name)};
  std::vector<Number> numbers;
  for (const Item& part : argument.container()->items) {
    if (part.is_tensor()) {
      numbers.push_back(scopes().number_of(memory().read(*part.cell())));
      continue;
    }
    if (!part.number()) wrong_kind(name, "a list of numbers", part);
    numbers.push_back(*part.number());
  }
  return numbers;
}

std::int64_t Call::integer(std::string_view name) const {
  const auto value = number(name).as_int();
  if (!value) refuse("its argument ", in_quotes(name), " must be known at export time");
  return *value;
}

std::optional<std::int64_t> Call::integer_or_none(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  return integer(name);
}

std::vector<std::int64_t> Call::integers(std::string_view name, std::size_t count) const {
  std::vector<std::int64_t> values;
  if (!has(name)) return values;
  for (const Number& number : numbers(name)) {
    const auto value = number.as_int();
    if (!value) refuse("its argument ", in_quotes(name), " must be known at export time");
    values.push_back(*value);
  }
  if (values.size() == 1 && count > 1) values.resize(count, values.front());
  return values;
}

double Call::real(std::string_view name) const {
  const auto value = number(name).as_float();
  if (!value) refuse("its argument ", in_quotes(name), " must be known at export time");
  return *value;
}

std::vector<double> Call::reals(std::string_view name) const {
  std::vector<double> values;
  if (!has(name)) return values;
  for (const Number& number : numbers(name)) {
    const auto value = number.as_float();
    if (!value) refuse("its argument ", in_quotes(name), " must be known at export time");
    values.push_back(*value);
  }
  return values;
}

bool Call::flag(std::string_view name) const {
  if (!has(name)) return false;
  const auto value = number(name).as_bool();
  if (!value) refuse("its argument ", in_quotes(name), " must be known at export time");
  return *value;
}

std::string Call::text(std::string_view name) const {
  const Item& argument = item(name);
  if (!argument.text()) wrong_kind(name, "a string", argument);
  return *argument.text();
}

std::optional<DType> Call::dtype(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  const auto dtype = dtype_of_scalar_type(integer(name));
  if (!dtype) refuse("its argument ", in_quotes(name), " is not a known element type");
  return dtype;
}

Value Call::size(std::string_view name) const { return sizes({number(name)}); }

Value Call::sizes(std::string_view name) const { return sizes(numbers(name)); }

Value Call::sizes(const std::vector<Number>& numbers) const {
  Builder g(scopes().graph());
  std::vector<std::int64_t> constants;
  for (const Number& number : numbers)
    if (const auto value = number.as_int()) constants.push_back(*value);
  if (constants.size() == numbers.size()) return g.int64s(constants);
  std::vector<Value> parts;
  parts.reserve(numbers.size());
  for (const Number& number : numbers)
    parts.push_back(unsqueeze(scopes().value_of(number, DType::kInt64), {0}));
  return parts.size() == 1 ? parts.front() : concat(parts, 0);
}

std::int64_t Call::axis(std::string_view name, std::size_t rank) const {
  const std::int64_t axis = integer(name);
  if (rank == 0 && (axis == 0 || axis == -1)) return 0;  // PyTorch lets it pass
  return static_cast<std::int64_t>(axis_index(axis, rank));
}

std::vector<std::int64_t> Call::axes(std::string_view name, std::size_t rank,
                                     bool empty_is_all) const {
  std::vector<std::int64_t> axes;
  for (const std::int64_t axis : integers(name))
    if (rank > 0) axes.push_back(static_cast<std::int64_t>(axis_index(axis, rank)));
  std::ranges::sort(axes);
  const bool is_all = !has(name) || (axes.empty() && empty_is_all);
  for (std::size_t i = 0; is_all && i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

Value Call::tensor_as(std::string_view name, DType dtype) const {
  const Item& argument = item(name);
  if (const Number* number = argument.number()) return scopes().value_of(*number, dtype);
  if (const auto* number = argument.complex_number()) return pair_of(scopes(), *number, dtype);
  const Value value = tensor(name);
  return value.dtype() == dtype ? value : cast(value, dtype);
}

std::vector<Value> Call::promoted(const std::vector<std::string_view>& names) const {
  std::vector<Item> operands;
  operands.reserve(names.size());
  for (const std::string_view name : names) operands.push_back(item(name));
  const DType dtype = result_type(operands);
  std::vector<Value> values;
  values.reserve(names.size());
  for (const std::string_view name : names) values.push_back(tensor_as(name, dtype));
  return values;
}

Item Call::view(std::string_view name, View view, bool is_contiguous) const {
  const Item& argument = item(name);
  const auto* base = std::get_if<std::shared_ptr<TensorCell>>(&argument.data);
  if (!base) wrong_kind(name, "a tensor", argument);
  auto cell = std::make_shared<TensorCell>();
  cell->value = view.look(memory().read(**base));
  cell->base = *base;
  cell->seen = (*base)->version;
  cell->view = std::move(view);
  cell->depth = scopes().depth();
  cell->is_contiguous = is_contiguous && (*base)->is_contiguous;
  cell->is_row_major = cell->is_contiguous && (*base)->is_row_major;
  cell->is_complex = (*base)->is_complex;
  return cell;
}

}  // namespace voxport
