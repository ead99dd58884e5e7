#include "phonemes/unicode.h"

#include <cassert>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

#include "base/text.h"

namespace voxport {
namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

std::u32string mapped(std::string_view text, int options) {
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t length = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
      static_cast<utf8proc_ssize_t>(text.size()), &result, static_cast<utf8proc_option_t>(options));
  if (length < 0) throw std::bad_alloc();  // text is well-formed
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, std::free);
  return code_points({reinterpret_cast<const char*>(result), static_cast<std::size_t>(length)});
}

constexpr char32_t kSigma = 0x3a3;
constexpr char32_t kFinalSigma = 0x3c2;
constexpr char32_t kDottedI = 0x130;  // small: an i and the dot

bool is_cased(char32_t c) {
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LT;
}

// What may stand within a word without being a letter of either case.
bool is_case_ignorable(char32_t c) {
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ME ||
         kind == UTF8PROC_CATEGORY_CF || kind == UTF8PROC_CATEGORY_LM ||
         kind == UTF8PROC_CATEGORY_SK ||
         std::u32string_view(U"'.:\u00b7\u2018\u2019\u2024\u2027").find(c) !=
             std::u32string_view::npos;
}

// Whether the sigma at `at` ends a word, and does not start it.
bool is_final_sigma(std::u32string_view text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  std::size_t after = at + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

}  // namespace

std::optional<std::size_t> find_broken_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::u32string code_points(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  while (!text.empty()) {
    utf8proc_int32_t c = 0;
    const utf8proc_ssize_t length =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                         static_cast<utf8proc_ssize_t>(text.size()), &c);
    assert(length > 0);
    if (length <= 0) break;
    out += static_cast<char32_t>(c);
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return out;
}

std::string utf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) append_utf8(out, c);
  return out;
}

std::string utf8(char32_t code_point) { return utf8(std::u32string_view(&code_point, 1)); }

std::u32string decompose(std::string_view text) {
  return mapped(text, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
}

std::u32string compose(std::string_view text) {
  return mapped(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

std::u32string lower_case(std::u32string_view text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == kDottedI) {
      out += U"i\u0307";
    } else if (text[i] == kSigma && is_final_sigma(text, i)) {
      out += kFinalSigma;
    } else {
      out += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(text[i])));
    }
  }
  return out;
}

char32_t upper_case(char32_t c) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
}

std::u32string fold_case(char32_t code_point) {
  return mapped(utf8(code_point), UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD);
}

bool is_letter(char32_t c) {
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_lower(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LL; }

bool is_upper(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LU; }

bool is_digit(char32_t c) { return category(c) == UTF8PROC_CATEGORY_ND; }

bool is_alnum(char32_t c) {
  const auto kind = category(c);
  return is_letter(c) || (kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO);
}

bool is_combining(char32_t c) {
  const auto kind = category(c);
  return (kind >= UTF8PROC_CATEGORY_MN && kind <= UTF8PROC_CATEGORY_ME) || c == 0x200d;
}

bool is_space(char32_t c) {
  const auto kind = category(c);
  return (kind >= UTF8PROC_CATEGORY_ZS && kind <= UTF8PROC_CATEGORY_ZP) || (c >= 9 && c <= 13) ||
         c == 0x85;
}

bool is_control(char32_t c) { return category(c) == UTF8PROC_CATEGORY_CC && !is_space(c); }

}  // namespace voxport
