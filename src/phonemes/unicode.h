// What Unicode says about text. UTF-8 that comes in must be well-formed, which find_broken_utf8()
// tells.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace voxport {

// The offset of the first byte that belongs to no well-formed character; nothing when all do.
std::optional<std::size_t> find_broken_utf8(std::string_view text);

std::u32string code_points(std::string_view text);
std::string utf8(std::u32string_view text);
std::string utf8(char32_t code_point);

// The canonical decomposition, NFD: a letter, then its marks.
std::u32string decompose(std::string_view text);

// The canonical composition, NFC: a letter and its marks as one code point where there is one.
std::u32string compose(std::string_view text);

// The code point in small letters, decomposed: "ss" for a sharp s.
std::u32string fold_case(char32_t code_point);

// The text in small letters as Python's str.lower() has it: a sharp s stays, a Greek sigma that
// ends a word becomes the final one.
std::u32string lower_case(std::u32string_view text);

// The capital of a letter, or what has none itself.
char32_t upper_case(char32_t c);

bool is_letter(char32_t c);
bool is_lower(char32_t c);
bool is_upper(char32_t c);
bool is_digit(char32_t c);      // of any script
bool is_alnum(char32_t c);      // a letter or a number
bool is_combining(char32_t c);  // belongs to the one before: accents, joiners, selectors
bool is_space(char32_t c);      // white space, the kinds that hold words together included
bool is_control(char32_t c);    // neither seen nor spoken, white space excepted

}  // namespace voxport
