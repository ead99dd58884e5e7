#include "base/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace voxport {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  std::size_t size;
};

// In the order of the enum.
constexpr std::array kRows = {
    Row{DType::kFloat32, "float32", 4},
    Row{DType::kFloat64, "float64", 8},
    Row{DType::kFloat16, "float16", 2},
    Row{DType::kBFloat16, "bfloat16", 2},
    Row{DType::kInt8, "int8", 1},
    Row{DType::kInt16, "int16", 2},
    Row{DType::kInt32, "int32", 4},
    Row{DType::kInt64, "int64", 8},
    Row{DType::kUInt8, "uint8", 1},
    Row{DType::kUInt16, "uint16", 2},
    Row{DType::kUInt32, "uint32", 4},
    Row{DType::kUInt64, "uint64", 8},
    Row{DType::kBool, "bool", 1},
    Row{DType::kComplex32, "complex32", 4},
    Row{DType::kComplex64, "complex64", 8},
    Row{DType::kComplex128, "complex128", 16},
    Row{DType::kFloat8E4M3FN, "float8_e4m3fn", 1},
    Row{DType::kFloat8E5M2, "float8_e5m2", 1},
    Row{DType::kFloat8E4M3FNUZ, "float8_e4m3fnuz", 1},
    Row{DType::kFloat8E5M2FNUZ, "float8_e5m2fnuz", 1},
    Row{DType::kFloat8E8M0FNU, "float8_e8m0fnu", 1},
    Row{DType::kQInt8, "qint8", 1},
    Row{DType::kQUInt8, "quint8", 1},
    Row{DType::kQInt32, "qint32", 4},
    Row{DType::kQUInt4x2, "quint4x2", 1},
    Row{DType::kQUInt2x4, "quint2x4", 1},
    Row{DType::kBits1x8, "bits1x8", 1},
    Row{DType::kBits2x4, "bits2x4", 1},
    Row{DType::kBits4x2, "bits4x2", 1},
    Row{DType::kBits8, "bits8", 1},
    Row{DType::kBits16, "bits16", 2},
    Row{DType::kFloat4E2M1FNx2, "float4_e2m1fn_x2", 1},
    Row{DType::kBComplex32, "bcomplex32", 4},
};

const Row& row(DType dtype) {
  const Row& found = kRows[static_cast<std::size_t>(dtype)];
  assert(found.dtype == dtype);
  return found;
}

template <class T>
double as_double(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return static_cast<double>(value);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A small float of 1 sign, `exponent_bits` and `mantissa_bits`, its exponent shifted by `bias`;
// without regard to infinities and NaN, which differ from format to format.
double small_float(unsigned bits, int exponent_bits, int mantissa_bits, int bias) {
  const unsigned mantissa = bits & ((1U << mantissa_bits) - 1);
  const auto exponent = static_cast<int>((bits >> mantissa_bits) & ((1U << exponent_bits) - 1));
  const bool negative = ((bits >> (mantissa_bits + exponent_bits)) & 1) != 0;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                    : std::ldexp(mantissa + (1U << mantissa_bits), exponent - bias - mantissa_bits);
  return negative ? -magnitude : magnitude;
}

// IEEE: the largest exponent is for infinity (mantissa 0) and NaN.
double ieee_float(unsigned bits, int exponent_bits, int mantissa_bits) {
  const unsigned top = (1U << exponent_bits) - 1;
  if (((bits >> mantissa_bits) & top) == top) {
    if ((bits & ((1U << mantissa_bits) - 1)) != 0) return kNan;
    return (bits >> (mantissa_bits + exponent_bits)) != 0 ? -kInfinity : kInfinity;
  }
  return small_float(bits, exponent_bits, mantissa_bits, (1 << (exponent_bits - 1)) - 1);
}

double float8(DType dtype, unsigned bits) {
  switch (dtype) {
    case DType::kFloat8E5M2: return ieee_float(bits, 5, 2);
    case DType::kFloat8E4M3FN: return (bits & 0x7f) == 0x7f ? kNan : small_float(bits, 4, 3, 7);
    // "uz": no negative zero; its place is taken by the only NaN.
    case DType::kFloat8E4M3FNUZ: return bits == 0x80 ? kNan : small_float(bits, 4, 3, 8);
    case DType::kFloat8E5M2FNUZ: return bits == 0x80 ? kNan : small_float(bits, 5, 2, 16);
    default: return bits == 0xff ? kNan : std::ldexp(1.0, static_cast<int>(bits) - 127);
  }
}

}  // namespace

std::string_view name_of(DType dtype) { return row(dtype).name; }

std::optional<DType> dtype_named(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

std::size_t size_of(DType dtype) { return row(dtype).size; }

bool is_real(DType dtype) {
  return dtype < DType::kComplex32 || (dtype > DType::kComplex128 && dtype < DType::kQInt8);
}

double element_value(DType dtype, const std::byte* element) {
  switch (dtype) {
    case DType::kFloat32: return as_double<float>(element);
    case DType::kFloat64: return as_double<double>(element);
    case DType::kFloat16: {
      std::uint16_t bits;
      std::memcpy(&bits, element, sizeof bits);
      return ieee_float(bits, 5, 10);
    }
    case DType::kBFloat16: {
      std::uint16_t bits;
      std::memcpy(&bits, element, sizeof bits);
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    }
    case DType::kInt8: return as_double<std::int8_t>(element);
    case DType::kInt16: return as_double<std::int16_t>(element);
    case DType::kInt32: return as_double<std::int32_t>(element);
    case DType::kInt64: return as_double<std::int64_t>(element);
    case DType::kUInt8: return as_double<std::uint8_t>(element);
    case DType::kUInt16: return as_double<std::uint16_t>(element);
    case DType::kUInt32: return as_double<std::uint32_t>(element);
    case DType::kUInt64: return as_double<std::uint64_t>(element);
    case DType::kBool: return *element != std::byte{0} ? 1 : 0;
    default: assert(is_real(dtype)); return float8(dtype, std::to_integer<unsigned>(*element));
  }
}

std::uint16_t bfloat16_bits(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

std::uint16_t float16_bits(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double size = std::abs(value);
  if (std::isnan(value)) return 0x7e00;
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  // Below 2^-14 the steps are 2^-24; above, 2^10 of them to each power of two.
  const int exponent = std::max(size > 0 ? std::ilogb(size) : -14, -14);
  const double steps = std::nearbyint(std::ldexp(size, 10 - exponent));
  const double whole = steps + std::ldexp(exponent + 14, 10);
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(whole));
}

}  // namespace voxport
