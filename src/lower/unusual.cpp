#include "lower/unusual.h"

#include <algorithm>
#include <array>

#include "graph/ops.h"
#include "lower/ops/complex.h"

namespace voxport {
namespace {

template <class Is>
bool any_tensor(const Item& item, const Is& is) {
  if (const TensorCell* cell = item.cell()) return is(*cell);
  const Container* container = item.container();
  return container && std::ranges::any_of(container->items,
                                          [&](const Item& part) { return any_tensor(part, is); });
}

template <class Is>
bool any_tensor(const NamedItems& arguments, const Is& is) {
  return std::ranges::any_of(arguments,
                             [&](const auto& argument) { return any_tensor(argument.second, is); });
}

bool is_sum(std::string_view name) {
  constexpr std::array<std::string_view, 3> kSums = {"aten.add", "aten.rsub", "aten.sub"};
  return std::ranges::find(kSums, name) != kSums.end();
}

Item part_of(Lowering& lowering, const Item& item, Part part) {
  if (TensorCell* cell = item.cell(); cell && cell->is_complex) {
    const Value pairs = lowering.read(*cell);
    Item one = part == Part::kReal ? ops::real_part(pairs) : ops::imaginary_part(pairs);
    one.cell()->is_contiguous = cell->is_contiguous;
    return one;
  }
  const Container* container = item.container();
  if (!container) return item;
  auto copy = std::make_shared<Container>(*container);
  for (Item& inner : copy->items) inner = part_of(lowering, inner, part);
  return copy;
}

}  // namespace

bool has_complex(const NamedItems& arguments) {
  return any_tensor(arguments, [](const TensorCell& cell) { return cell.is_complex; });
}

bool has_nested(const NamedItems& arguments) {
  return any_tensor(arguments, [](const TensorCell& cell) { return bool(cell.inside); });
}

NamedItems part_of(Lowering& lowering, std::string_view name, const NamedItems& arguments,
                   Part part) {
  NamedItems parts;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& [key, item] = arguments[i];
    const bool is_complex = item.cell() && item.cell()->is_complex;
    const bool is_term = (i < 2 && is_sum(name)) || (key == "value" && item.number());
    const bool is_nothing = is_term && !is_complex && part == Part::kImaginary;
    parts.emplace_back(key, is_nothing ? Item(Number::of_int(0)) : part_of(lowering, item, part));
  }
  return parts;
}

Item joined_parts(Lowering& lowering, const Item& real, const Item& imaginary) {
  if (real.is_tensor() && imaginary.is_tensor()) {
    Item joined = ops::complex_item(
        ops::pairs_of(lowering.read(*real.cell()), lowering.read(*imaginary.cell())));
    joined.cell()->is_contiguous = real.cell()->is_contiguous;
    // A view of the part is no view of the whole.
    joined.cell()->is_maybe_view = real.cell()->base != nullptr || real.cell()->is_maybe_view;
    return joined;
  }
  const Container* list = real.container();
  if (!list) return real;
  auto copy = std::make_shared<Container>(*list);
  for (std::size_t i = 0; i < copy->items.size(); ++i)
    copy->items[i] = joined_parts(lowering, list->items[i], imaginary.container()->items.at(i));
  return copy;
}

bool is_complex(DType dtype) { return dtype == DType::kComplex64 || dtype == DType::kComplex128; }

Tensor as_pairs(const Tensor& complex) {
  Tensor pairs = complex;
  pairs.dtype = complex.dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
  pairs.shape.push_back(2);
  for (std::int64_t& stride : pairs.strides) stride *= 2;
  if (!pairs.strides.empty()) pairs.strides.push_back(1);
  pairs.offset *= 2;
  return pairs;
}

}  // namespace voxport
