#include "lower/promote.h"

#include <algorithm>
#include <optional>

#include "base/fail.h"

namespace voxport {
namespace {

enum Category { kBools, kInts, kFloats, kComplexes };

Category category(DType dtype) {
  if (dtype == DType::kBool) return kBools;
  if (is_integral(dtype)) return kInts;
  if (is_floating(dtype)) return kFloats;
  if (dtype == DType::kComplex32 || dtype == DType::kComplex64 || dtype == DType::kComplex128)
    return kComplexes;
  fail(Error::kUnsupported, "arithmetic on ", name_of(dtype), " is not known");
}

// Unsigned bytes are apart; the others are in order of size.
DType promote_integers(DType a, DType b) {
  if (a == b) return a;
  const auto is_signed = [](DType t) { return t >= DType::kInt8 && t <= DType::kInt64; };
  if (is_signed(a) && is_signed(b)) return std::max(a, b);
  const DType other = is_signed(a) ? a : b;
  const DType unsigned_one = is_signed(a) ? b : a;
  if (unsigned_one == DType::kUInt8 && is_signed(other))
    return other == DType::kInt8 ? DType::kInt16 : other;
  fail(Error::kUnsupported, name_of(a), " and ", name_of(b), " have no common type in PyTorch");
}

DType promote_floats(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::kFloat64 || b == DType::kFloat64) return DType::kFloat64;
  return DType::kFloat32;  // also of float16 with bfloat16
}

// Integers and bools take the other's precision.
DType promote_complexes(DType a, DType b) {
  const auto part = [](DType dtype) {
    return category(dtype) == kComplexes ? part_of(dtype) : dtype;
  };
  return complex_of(promote_types(part(a), part(b)));
}

using Found = std::optional<DType>;

void widen(Found& found, DType dtype) { found = found ? promote_types(*found, dtype) : dtype; }

// What is of a higher rank keeps its type, unless the other is of a higher category.
Found combine(const Found& higher, const Found& lower) {
  if (!higher || !lower) return higher ? higher : lower;
  if (category(*higher) == kFloats && category(*lower) == kComplexes) return complex_of(*higher);
  return category(*higher) >= category(*lower) ? higher : promote_types(*higher, *lower);
}

}  // namespace

bool is_floating(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kFloat16 ||
         dtype == DType::kBFloat16;
}

DType complex_of(DType part) {
  if (part == DType::kFloat16) return DType::kComplex32;
  return part == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
}

DType part_of(DType complex) {
  if (complex == DType::kComplex32) return DType::kFloat16;
  return complex == DType::kComplex128 ? DType::kFloat64 : DType::kFloat32;
}

bool is_integral(DType dtype) { return dtype >= DType::kInt8 && dtype <= DType::kUInt64; }

DType promote_types(DType a, DType b) {
  const Category higher = std::max(category(a), category(b));
  if (higher == kComplexes) return promote_complexes(a, b);
  if (category(a) != category(b)) return category(a) == higher ? a : b;
  if (higher == kBools) return DType::kBool;
  return higher == kInts ? promote_integers(a, b) : promote_floats(a, b);
}

DType result_type(std::span<const Item> operands) {
  Found tensors, without_axes, numbers;
  for (const Item& item : operands) {
    if (const TensorCell* cell = item.cell()) {
      const DType dtype = cell->value.dtype();
      const std::size_t rank = cell->value.rank() - (cell->is_complex ? 1 : 0);
      widen(rank > 0 ? tensors : without_axes, cell->is_complex ? complex_of(dtype) : dtype);
    } else if (const Number* number = item.number()) {
      widen(numbers, number->dtype());
    } else if (item.complex_number()) {
      widen(numbers, DType::kComplex64);
    } else {
      fail(Error::kUnsupported, "expected a tensor or a number, found ", item.kind_name());
    }
  }
  return combine(tensors, combine(without_axes, numbers)).value_or(DType::kFloat32);
}

}  // namespace voxport
