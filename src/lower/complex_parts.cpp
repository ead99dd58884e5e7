#include "lower/complex_parts.h"

#include <algorithm>

#include "base/fail.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "lower/compute_type.h"
#include "lower/ops/complex.h"
#include "lower/promote.h"
#include "program/program.h"

namespace voxport {
namespace {

// The imaginary parts of a real operand: zeros, of its shape where shapes count.
Item imaginary_of_real(Memory& memory, const Item& item) {
  if (!item.cell()) return Number::of_int(0);
  const Value x = memory.read(*item.cell());
  return zeros(Builder(x.graph()).node("Shape", {x}), x.dtype());
}

// A zero that counts as little as it can: a tensor of no axes, for a tensor.
Item zero_of(Memory& memory, const Item& real) {
  if (!real.cell()) return Number::of_int(0);
  return Builder(memory.scopes().graph()).scalar(0, real.cell()->value.dtype());
}

Item part_of(Memory& memory, const Item& item, Part part) {
  if (TensorCell* cell = item.cell(); cell && cell->is_complex) {
    const Value pairs = memory.read(*cell);
    Item one = part == Part::kReal ? ops::real_part(pairs) : ops::imaginary_part(pairs);
    one.cell()->is_contiguous = cell->is_contiguous;
    return one;
  }
  if (const auto* number = item.complex_number())
    return Number::of_float(part == Part::kReal ? number->real() : number->imag());
  const Container* container = item.container();
  if (!container) return item;
  auto copy = std::make_shared<Container>(*container);
  for (Item& inner : copy->items) inner = part_of(memory, inner, part);
  return copy;
}

const Container* listed_factors(const NamedItems& arguments) {
  for (const auto& [key, item] : arguments)
    if (key == "tensors") return item.container();
  return nullptr;
}

// The tensors that are multiplied.
std::vector<Item> factors_of(const NamedItems& arguments) {
  if (const Container* list = listed_factors(arguments)) return list->items;
  if (arguments.size() < 2) fail(Error::kUnsupported, "it is given no two tensors to multiply");
  return {arguments[0].second, arguments[1].second};
}

// The arguments with others in their place.
NamedItems with_factors(NamedItems arguments, const std::vector<Item>& factors) {
  if (listed_factors(arguments)) {
    for (auto& [key, item] : arguments)
      if (key == "tensors") item = Item::list(factors);
    return arguments;
  }
  for (std::size_t i = 0; i < factors.size(); ++i) arguments[i].second = factors[i];
  return arguments;
}

}  // namespace

Item product_of_parts(Memory& memory, const NamedItems& arguments,
                      const std::function<Item(NamedItems)>& multiply) {
  constexpr Part kRe = Part::kReal;
  constexpr Part kIm = Part::kImaginary;
  const std::vector<Item> factors = factors_of(arguments);
  if (!std::ranges::all_of(factors, &Item::is_complex))
    fail(Error::kUnsupported, "it multiplies complex tensors by real ones, expected all of a kind");
  const auto product = [&](const std::vector<Part>& parts) {
    std::vector<Item> of_parts;
    for (std::size_t i = 0; i < parts.size(); ++i)
      of_parts.push_back(part_of(memory, factors[i], parts[i]));
    return memory.read(*multiply(with_factors(arguments, of_parts)).cell());
  };
  if (factors.size() == 1) return ops::complex_item(ops::pairs_of(product({kRe}), product({kIm})));
  if (factors.size() != 2)
    fail(Error::kUnsupported, "it multiplies ", factors.size(), " complex tensors, expected 2");
  const Value real = product({kRe, kRe}) - product({kIm, kIm});
  return ops::complex_item(ops::pairs_of(real, product({kRe, kIm}) + product({kIm, kRe})));
}

std::optional<DType> complex_type_of_filled(const NamedItems& arguments) {
  std::optional<DType> found;
  for (const auto& [key, item] : arguments) {
    if (key == "dtype" && item.number()) {
      const auto dtype = dtype_of_scalar_type(item.number()->as_int().value_or(-1));
      return dtype && is_complex(*dtype) ? dtype : std::nullopt;
    }
    if (item.cell() && item.cell()->is_complex) found = complex_of(item.cell()->value.dtype());
    if (item.complex_number() && !found) found = DType::kComplex64;
  }
  return found;
}

Item filled_by_parts(Memory& memory, const NamedItems& arguments, DType dtype,
                     const std::function<Item(NamedItems)>& fill) {
  NamedItems real, imaginary;
  bool is_given = false;  // what it is filled with
  for (const auto& [key, item] : arguments) {
    const bool is_filling = key == "fill_value" || key == "data" || key == "s" || key == "t";
    is_given |= is_filling;
    Item re = part_of(memory, item, Part::kReal);
    if (key == "dtype") re = Number::of_int(*scalar_type_code(part_of(dtype)));
    Item im = re;
    if (is_filling)
      im =
          item.complex_number() ? part_of(memory, item, Part::kImaginary) : Item(Number::of_int(0));
    real.emplace_back(key, std::move(re));
    imaginary.emplace_back(key, std::move(im));
  }
  const Value parts = memory.read(*fill(std::move(real)).cell());
  if (!is_given) return ops::complex_item(ops::pairs_of(parts));
  return ops::complex_item(ops::pairs_of(parts, memory.read(*fill(std::move(imaginary)).cell())));
}

NamedItems part_of(Memory& memory, const Operator& row, const NamedItems& arguments, Part part) {
  NamedItems parts;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& [key, item] = arguments[i];
    const bool is_term =
        (i < 2 && row.has(Trait::kAddsTerms)) || (key == "value" && !item.is_none());
    const bool is_nothing = is_term && !item.is_complex() && part == Part::kImaginary;
    parts.emplace_back(key, is_nothing ? zero_of(memory, item) : part_of(memory, item, part));
    if (!row.has(Trait::kJoinsTensors) || key != "tensors" || part != Part::kImaginary ||
        !item.container())
      continue;
    std::vector<Item>& joined = parts.back().second.container()->items;
    for (std::size_t j = 0; j < joined.size(); ++j)
      if (!item.container()->items[j].is_complex())
        joined[j] = imaginary_of_real(memory, joined[j]);
  }
  return parts;
}

Item joined_parts(Memory& memory, const Item& real, const Item& imaginary) {
  if (real.is_tensor() && imaginary.is_tensor()) {
    // The imaginary part of a sum with a real tensor may not know of that one's type.
    const Value re = memory.read(*real.cell());
    const DType dtype = part_of(complex_of(re.dtype()));
    const Value im = memory.read(*imaginary.cell());
    Item joined = ops::complex_item(ops::pairs_of(converted(re, dtype), converted(im, dtype)));
    joined.cell()->is_contiguous = real.cell()->is_contiguous;
    // A view of the part is not a view of the whole.
    joined.cell()->is_maybe_view = real.cell()->base != nullptr || real.cell()->is_maybe_view;
    return joined;
  }
  const Container* list = real.container();
  if (!list) return real;
  const Container* others = imaginary.container();
  if (!others || others->items.size() != list->items.size())
    fail(Error::kUnsupported, "its results for real and for imaginary parts differ in number");
  auto copy = std::make_shared<Container>(*list);
  for (std::size_t i = 0; i < copy->items.size(); ++i)
    copy->items[i] = joined_parts(memory, list->items[i], others->items[i]);
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
