// TextScanner: a text in a small grammar, read from left to right. What does not come next is not
// taken; what is wrong with that is for the parser to say. A copy of a scanner looks ahead.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/parse_number.h"

namespace voxport {

class TextScanner {
 public:
  // Each character of `blanks` may stand between parts.
  explicit TextScanner(std::string_view text, std::string_view blanks = " ")
      : rest_(text), blanks_(blanks) {}

  // What was not taken yet.
  std::string_view rest() const { return rest_; }
  // The next character; NUL at the end.
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks_), rest_.size()));
  }

  // Whether only blanks are left, which are passed over.
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  // Passes over blanks, and takes the word if it comes after them.
  bool accept(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool accept(char c) { return accept(std::string_view(&c, 1)); }

  // These take from here on, blanks or not: up to the first of the characters in `ends`, which is
  // left, or all;
  std::string_view take_until(std::string_view ends) { return take(rest_.find_first_of(ends)); }
  // the characters up to the first that is not in `characters`;
  std::string_view take_of(std::string_view characters) {
    return take(rest_.find_first_not_of(characters));
  }
  // those up to the first that `is_part` is not true of;
  template <std::predicate<char> IsPart>
  std::string_view take_while(IsPart is_part) {
    const auto* const end = std::ranges::find_if_not(rest_, is_part);
    return take(static_cast<std::size_t>(end - rest_.data()));
  }
  // a number, as take_number() reads it.
  template <class Number>
  std::optional<Number> take_number() {
    return voxport::take_number<Number>(rest_);
  }

 private:
  std::string_view take(std::size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
  std::string_view blanks_;
};

}  // namespace voxport
