// Element types: the ones PyTorch saves, under PyTorch's names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace voxport {

enum class DType : std::uint8_t {
  kFloat32,
  kFloat64,
  kFloat16,
  kBFloat16,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kBool,
  kComplex32,
  kComplex64,
  kComplex128,
  kFloat8E4M3FN,
  kFloat8E5M2,
  kFloat8E4M3FNUZ,
  kFloat8E5M2FNUZ,
  kFloat8E8M0FNU,
  kQInt8,
  kQUInt8,
  kQInt32,
  kQUInt4x2,
  kQUInt2x4,
  kBits1x8,
  kBits2x4,
  kBits4x2,
  kBits8,
  kBits16,
  kFloat4E2M1FNx2,
  kBComplex32,
};

// As torch prints it, without "torch.": float32, bfloat16, float8_e4m3fn.
std::string_view name_of(DType dtype);
std::optional<DType> dtype_named(std::string_view name);

// Bytes of one element.
std::size_t size_of(DType dtype);

inline bool is_integer(DType dtype) { return dtype >= DType::kInt8 && dtype <= DType::kUInt64; }

// Whether an element is one real number, so that element_value() can read it.
bool is_real(DType dtype);

// One element as a double. Asks for a real dtype and size_of(dtype) readable bytes.
// int64 and uint64 beyond 2^53 are rounded.
double element_value(DType dtype, const std::byte* element);

// The bits of the nearest float16 or bfloat16; a tie goes to the even one.
std::uint16_t float16_bits(double value);
std::uint16_t bfloat16_bits(double value);

}  // namespace voxport
