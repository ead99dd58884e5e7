// Numbers in text. Only what std::from_chars reads is a number: digits with a '-' in front or
// without; no white space, no '+', no "0x". Where Number is a floating-point type, also a point, an
// exponent, and in any case of letters "inf", "infinity", "nan" and "nan(...)": callers for whom
// these are words exclude them. A number that Number cannot represent is none.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace voxport {

// Takes a number, as long as it goes, off the front of `rest`. Leaves `rest` as it is where it
// starts with none, or with one that does not fit.
template <class Number>
std::optional<Number> take_number(std::string_view& rest, int base = 10) {
  Number number{};
  const char* const last = rest.data() + rest.size();
  std::from_chars_result read;
  if constexpr (std::floating_point<Number>) {
    read = std::from_chars(rest.data(), last, number);
  } else {
    read = std::from_chars(rest.data(), last, number, base);
  }
  if (read.ec != std::errc()) return std::nullopt;
  rest = {read.ptr, last};
  return number;
}

// The number that the whole text is. `base` is for integers.
template <class Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  const std::optional<Number> number = take_number<Number>(text, base);
  return text.empty() ? number : std::nullopt;
}

}  // namespace voxport
