#include "lower/scopes.h"

#include "base/fail.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "lower/promote.h"

namespace voxport {
namespace {

// A constant this small is written again in a branch that uses it, so that it is known there too.
constexpr std::int64_t kMaxCopied = 64;

// The one element of a tensor.
double element_at(const Tensor& tensor) {
  double value = 0;
  for_each_element(tensor, [&](const std::byte* at) { value = element_value(tensor.dtype, at); });
  return value;
}

}  // namespace

Scopes::Scopes(Graph& main) { scopes_.emplace_back().graph = &main; }

void Scopes::enter(Graph& graph, Kind kind) {
  Scope& scope = scopes_.emplace_back();
  scope.graph = &graph;
  scope.kind = kind;
  graph.set_prefix(cat("inner_", inner_graphs_++, "."));
}

std::vector<Value> Scopes::leave() {
  std::vector<Value> captured = std::move(scopes_.back().captured);
  scopes_.pop_back();
  return captured;
}

Value Scopes::here(const Value& value) { return seen_from(scopes_.size() - 1, value); }

Value Scopes::seen_from(std::size_t scope, const Value& value) {
  Scope& at = scopes_[scope];
  if (!value || &value.graph() == at.graph || scope == 0) return value;
  const auto key = std::pair<const Graph*, std::string>(&value.graph(), value.name());
  if (const auto found = at.imported.find(key); found != at.imported.end()) return found->second;
  const Tensor* constant = value.constant();
  Value inside;
  if (constant && constant->numel() <= kMaxCopied) {
    inside = at.graph->add_constant(value.name(), *constant);
  } else {
    const Value outside = seen_from(scope - 1, value);
    inside = at.graph->add_captured(outside.name(), outside.type());
    at.captured.push_back(outside);
  }
  at.imported.emplace(key, inside);
  return inside;
}

Value Scopes::value_of(const Number& number) {
  if (!number.is_constant()) return here(number.value());
  Builder g(graph());
  if (number.kind() == Number::Kind::kFloat) return g.scalar(*number.as_float(), DType::kFloat64);
  if (number.kind() == Number::Kind::kInt) return g.int64(*number.as_int());
  return g.scalar(*number.as_bool() ? 1 : 0, DType::kBool);
}

Value Scopes::value_of(const Number& number, DType dtype) {
  const bool is_exact = number.kind() != Number::Kind::kInt || dtype != DType::kInt64;
  if (number.is_constant() && is_exact) {
    if (dtype == DType::kBool) return Builder(graph()).scalar(*number.as_bool() ? 1 : 0, dtype);
    if (is_integral(dtype)) {
      const auto integer = number.as_int();
      if (!integer) fail(Error::kUnsupported, "a float beyond 64 bits cannot be an integer");
      return dtype == DType::kInt64 ? Builder(graph()).int64(*integer)
                                    : Builder(graph()).scalar(static_cast<double>(*integer), dtype);
    }
    return Builder(graph()).scalar(*number.as_float(), dtype);
  }
  const Value value = value_of(number);
  return value.dtype() == dtype ? value : cast(value, dtype);
}

Number Scopes::number_of(const Value& tensor) {
  const DType dtype = tensor.dtype();
  if (const Tensor* constant = tensor.constant(); constant && constant->numel() == 1) {
    if (is_floating(dtype)) return Number::of_float(element_at(*constant));
    const std::int64_t value = dtype == DType::kInt64
                                   ? int64_values(*constant).at(0)
                                   : static_cast<std::int64_t>(element_at(*constant));
    return dtype == DType::kBool ? Number::of_bool(value != 0) : Number::of_int(value);
  }
  Value scalar = tensor;
  if (scalar.rank() != 0) scalar = reshape(scalar, std::vector<std::int64_t>{});
  if (dtype == DType::kBool) return Number::of_value(scalar, Number::Kind::kBool);
  if (is_floating(dtype)) {
    if (dtype != DType::kFloat64) scalar = cast(scalar, DType::kFloat64);
    return Number::of_value(scalar, Number::Kind::kFloat);
  }
  return size_of(dtype == DType::kInt64 ? scalar : cast(scalar, DType::kInt64));
}

Value Scopes::non_zero(const Value& mask) {
  Value& positions = scopes_.back().non_zero[mask.name()];
  if (!positions) positions = Builder(graph()).node("NonZero", {mask});
  return positions;
}

Number Scopes::size_of(const Value& tensor) {
  if (tensor.dtype() != DType::kInt64)
    fail(Error::kUnsupported, "a number is ", name_of(tensor.dtype()), ", expected int64");
  Value scalar = tensor.rank() == 0 ? tensor : reshape(tensor, std::vector<std::int64_t>{});
  if (!scalar.type().elements)
    graph().declare_elements(scalar, {Dim::symbol(new_symbol(), std::nullopt)});
  return Number::of_value(scalar, Number::Kind::kInt, scalar.type().elements->at(0));
}

std::string Scopes::new_symbol() { return cat("u", symbols_++); }

}  // namespace voxport
