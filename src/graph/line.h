// Line: one line of a text form, read from left to right. What does not fit fails with kCorrupt.
#pragma once

#include <string>
#include <string_view>

#include "base/fail.h"
#include "base/text_scanner.h"
#include "base/trimmed.h"
#include "graph/graph.h"

namespace voxport {

class Line : public TextScanner {
 public:
  explicit Line(std::string_view text) : TextScanner(text) {}

  void expect(std::string_view word) {
    if (!accept(word))
      fail(Error::kCorrupt, "expected ", in_quotes(word), " before ",
           rest().empty() ? "the end of the line" : in_quotes(rest(), 30));
  }

  // Up to the first of the characters in `ends`, which is left, without spaces at either end.
  std::string_view until(std::string_view ends) {
    skip_blanks();
    return trimmed_end(take_until(ends));
  }

  std::string name() {
    const std::string_view word = until(" :,=()[]");
    if (word.empty()) fail(Error::kCorrupt, "expected a name before ", in_quotes(rest(), 30));
    // "a:0" is a name too: a colon that is followed by a digit belongs to it.
    std::string text(word);
    if (rest().size() > 1 && rest()[0] == ':' && rest()[1] >= '0' && rest()[1] <= '9') {
      accept(':');
      text += ":";
      text += until(" :,=()[]");
    }
    return text;
  }
};

// f32[b, 2*t + 1, max(a, b)]
Type read_type(Line& line);

}  // namespace voxport
