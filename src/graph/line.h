// Line: one line of a text form, read from left to right. What does not fit fails with kCorrupt.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/fail.h"
#include "graph/graph.h"

namespace voxport {

class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  bool at_end() {
    skip_space();
    return rest_.empty();
  }

  bool accept(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void expect(std::string_view word) {
    if (!accept(word))
      fail(Error::kCorrupt, "expected ", in_quotes(word), " before ",
           rest_.empty() ? "the end of the line" : in_quotes(rest_, 30));
  }

  // Up to the first of the characters in `ends`, which is left.
  std::string_view until(std::string_view ends) {
    skip_space();
    const std::size_t length = std::min(rest_.find_first_of(ends), rest_.size());
    std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    while (word.ends_with(' ')) word.remove_suffix(1);
    return word;
  }

  std::string name() {
    const std::string_view word = until(" :,=()[]");
    if (word.empty()) fail(Error::kCorrupt, "expected a name before ", in_quotes(rest_, 30));
    // "a:0" is a name too: a colon that is followed by a digit belongs to it.
    std::string text(word);
    if (rest_.size() > 1 && rest_[0] == ':' && rest_[1] >= '0' && rest_[1] <= '9') {
      rest_.remove_prefix(1);
      text += ":";
      text += until(" :,=()[]");
    }
    return text;
  }

  std::string_view rest() const { return rest_; }

 private:
  void skip_space() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

// f32[b, 2*t + 1, max(a, b)]
Type read_type(Line& line);

}  // namespace voxport
