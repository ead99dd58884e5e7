#include "program/program.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace voxport {
namespace {

// In the order of c10::ScalarType.
constexpr std::array kScalarTypes = {
    DType::kUInt8,        DType::kInt8,           DType::kInt16,          DType::kInt32,
    DType::kInt64,        DType::kFloat16,        DType::kFloat32,        DType::kFloat64,
    DType::kComplex32,    DType::kComplex64,      DType::kComplex128,     DType::kBool,
    DType::kQInt8,        DType::kQUInt8,         DType::kQInt32,         DType::kBFloat16,
    DType::kQUInt4x2,     DType::kQUInt2x4,       DType::kBits1x8,        DType::kBits2x4,
    DType::kBits4x2,      DType::kBits8,          DType::kBits16,         DType::kFloat8E5M2,
    DType::kFloat8E4M3FN, DType::kFloat8E5M2FNUZ, DType::kFloat8E4M3FNUZ, DType::kUInt16,
    DType::kUInt32,       DType::kUInt64,
};

}  // namespace

std::string where(const Place& place) {
  return cat(place.module.empty() ? "" : " in " + printable(place.module),
             place.source.empty() ? "" : " at " + printable(place.source));
}

Variable Program::add_variable(std::string_view name) {
  names.emplace_back(name);
  return {static_cast<std::uint32_t>(names.size() - 1)};
}

std::uint32_t Program::add_place(Place place) {
  // Calls of one place follow each other; a search of the last few finds nearly all.
  constexpr std::ptrdiff_t kRecent = 8;
  const auto recent = places.size() > kRecent ? places.end() - kRecent : places.begin();
  auto found = std::find(recent, places.end(), place);
  if (found == places.end()) found = places.insert(places.end(), std::move(place));
  return static_cast<std::uint32_t>(found - places.begin());
}

std::optional<std::int64_t> scalar_type_code(DType dtype) {
  const auto* found = std::ranges::find(kScalarTypes, dtype);
  if (found == kScalarTypes.end()) return std::nullopt;
  return found - kScalarTypes.begin();
}

std::optional<DType> dtype_of_scalar_type(std::int64_t code) {
  if (code < 0 || code >= static_cast<std::int64_t>(kScalarTypes.size())) return std::nullopt;
  return kScalarTypes[static_cast<std::size_t>(code)];
}

}  // namespace voxport
