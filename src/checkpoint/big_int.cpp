#include "checkpoint/big_int.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace voxport {
namespace {

// Nine decimal digits fit a word.
constexpr std::size_t kDigits = 9;
constexpr std::uint64_t kScale = 1'000'000'000;

using Words = std::vector<std::uint32_t>;  // little-endian

void negate(Words& words) {
  std::uint64_t carry = 1;
  for (std::uint32_t& word : words) {
    carry += static_cast<std::uint32_t>(~word);
    word = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
}

}  // namespace

std::string decimal_of(std::string_view twos_complement) {
  const bool negative = !twos_complement.empty() && (twos_complement.back() & 0x80) != 0;
  Words words(twos_complement.size() / 4 + 1, negative ? ~0U : 0U);
  std::copy(twos_complement.begin(), twos_complement.end(), reinterpret_cast<char*>(words.data()));
  if (negative) negate(words);

  std::string digits;  // from the last to the first
  while (!words.empty()) {
    std::uint64_t rest = 0;
    for (std::size_t i = words.size(); i-- > 0;) {
      rest = rest << 32 | words[i];
      words[i] = static_cast<std::uint32_t>(rest / kScale);
      rest %= kScale;
    }
    while (!words.empty() && words.back() == 0) words.pop_back();
    for (std::size_t i = 0; i < kDigits && (rest != 0 || !words.empty()); ++i, rest /= 10)
      digits += static_cast<char>('0' + rest % 10);
  }
  if (digits.empty()) digits += '0';
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string twos_complement_of(std::string_view decimal) {
  const bool negative = decimal.starts_with('-');
  if (negative) decimal.remove_prefix(1);
  Words words;
  while (!decimal.empty()) {
    const std::string_view some = decimal.substr(0, kDigits);
    decimal.remove_prefix(some.size());
    std::uint64_t scale = 1;
    std::uint64_t carry = 0;
    for (const char c : some) {
      scale *= 10;
      carry = carry * 10 + static_cast<std::uint64_t>(c - '0');
    }
    for (std::uint32_t& word : words) {
      carry += word * scale;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words.push_back(static_cast<std::uint32_t>(carry));
  }
  words.push_back(0);  // room for the sign
  if (negative) negate(words);
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t)};
}

}  // namespace voxport
