// Arithmetic on numbers that came from a file: the result, or nothing when 64 bits do not hold it.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>

namespace voxport {

template <class Integer>
std::optional<Integer> checked_add(Integer a, Integer b) {
  Integer sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

template <class Integer>
std::optional<Integer> checked_mul(Integer a, Integer b) {
  Integer product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// The greatest common divisor of all int64, as far as it fits: of -2^63 and 0 it is 2^62. std::gcd
// may not be given -2^63.
inline std::int64_t checked_gcd(std::int64_t a, std::int64_t b) {
  const auto magnitude = [](std::int64_t number) {
    return number < 0 ? -static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  };
  constexpr std::uint64_t kTooLarge = std::uint64_t{1} << 63;
  const std::uint64_t divisor = std::gcd(magnitude(a), magnitude(b));
  return static_cast<std::int64_t>(divisor == kTooLarge ? divisor / 2 : divisor);
}

// The product of the sizes; nothing when one is negative or the product does not fit.
inline std::optional<std::int64_t> checked_numel(std::span<const std::int64_t> shape) {
  std::int64_t numel = 1;
  bool overflows = false;
  bool is_empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    // A size of 0 makes the tensor empty, whatever the others say.
    is_empty |= size == 0;
    overflows |= __builtin_mul_overflow(numel, size, &numel);
  }
  if (is_empty) return 0;
  if (overflows) return std::nullopt;
  return numel;
}

}  // namespace voxport
