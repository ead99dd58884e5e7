// Small words for making sentences. Text that came from a file is shown through in_quotes() or
// printable(), so that a name can neither move the cursor nor flood the screen.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace voxport {

// One part of a sentence. No streams: a checkpoint has thousands of names to put together.
inline void append_part(std::string& out, std::string_view part) { out += part; }
inline void append_part(std::string& out, char part) { out += part; }
void append_part(std::string& out, std::int64_t part);
void append_part(std::string& out, std::uint64_t part);
void append_part(std::string& out, double part);  // six digits, as streams do
template <std::signed_integral Integer>
void append_part(std::string& out, Integer part) {
  append_part(out, static_cast<std::int64_t>(part));
}
template <std::unsigned_integral Integer>
void append_part(std::string& out, Integer part) {
  append_part(out, static_cast<std::uint64_t>(part));
}

template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (append_part(out, parts), ...);
  return out;
}

// The text as it may be shown: bytes of broken UTF-8 and of characters that act on text without
// being seen in it (controls, line separators, marks of direction, zero width characters, tags) as
// \x1b, cut after `limit` bytes. For whole messages and JSON see base/printable.h.
std::string printable(std::string_view text, std::size_t limit = 200);

// printable(), in single quotes. (Not called quoted(): std::quoted would be found first.)
std::string in_quotes(std::string_view text, std::size_t limit = 200);

// [512, 256, 16]
std::string shape_text(std::span<const std::int64_t> shape);

// 28,536,773
std::string with_commas(std::uint64_t number);

// 28.5 MB, in powers of ten.
std::string human_bytes(std::uint64_t bytes);

// The length of the well-formed UTF-8 sequence that `text`, which must not be empty, starts with; 0
// when there is none.
std::size_t utf8_sequence(std::string_view text);

// Appends a code point, which must not lie beyond U+10FFFF, in UTF-8. Surrogates are let through.
void append_utf8(std::string& text, std::uint32_t code_point);

// Of ASCII, whatever the locale: what numbers and names are made of in the formats we read.
constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_name_part(char c) { return is_name_start(c) || is_ascii_digit(c); }

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace voxport
