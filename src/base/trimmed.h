// Text without the blanks around it. What is blank differs from format to format, so that callers
// say it; where they say nothing, the space is.
#pragma once

#include <concepts>
#include <string_view>

namespace voxport {

// Without the characters at its end that `is_blank` is true of.
template <class Char, std::predicate<Char> IsBlank>
std::basic_string_view<Char> trimmed_end(std::basic_string_view<Char> text, IsBlank is_blank) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Without those at either end.
template <class Char, std::predicate<Char> IsBlank>
std::basic_string_view<Char> trimmed(std::basic_string_view<Char> text, IsBlank is_blank) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return trimmed_end(text, is_blank);
}

// The same where each character of `blanks` is blank.
inline std::string_view trimmed_end(std::string_view text, std::string_view blanks = " ") {
  return trimmed_end(text, [&](char c) { return blanks.find(c) != blanks.npos; });
}

inline std::string_view trimmed(std::string_view text, std::string_view blanks = " ") {
  return trimmed(text, [&](char c) { return blanks.find(c) != blanks.npos; });
}

}  // namespace voxport
