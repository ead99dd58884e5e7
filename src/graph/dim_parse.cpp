#include "base/fail.h"
#include "base/text_scanner.h"
#include "graph/dim.h"

namespace voxport {
namespace {

// sum := product (('+' | '-') product)*      product := factor ('*' factor)*
// factor := number | '-' factor | '(' sum ')' | name | floor '(' product '/' factor ')'
//         | (min | max) '(' sum ',' sum ')'
class DimParser {
 public:
  explicit DimParser(std::string_view text) : text_(text) {}

  // Nothing when the text is no expression.
  std::optional<Dim> whole() {
    Dim dim = sum(0);
    if (!text_.at_end()) broken();
    if (broken_at_) return std::nullopt;
    return dim;
  }

  // "its end", or what comes where the expression breaks off. Asks for a text that is none.
  std::string place_of_break() const {
    return broken_at_->empty() ? "its end" : in_quotes(*broken_at_, 20);
  }

 private:
  static constexpr int kMaxDepth = 64;

  // Notes where the expression breaks off, and ends the parsing: nothing is left to read.
  Dim broken() {
    if (!broken_at_) broken_at_ = text_.rest();
    text_ = TextScanner("");
    return {};
  }

  void expect(char c) {
    if (!text_.accept(c)) broken();
  }

  Dim sum(int depth) {
    if (depth > kMaxDepth) return broken();
    Dim total = product(depth);
    while (true) {
      if (text_.accept('+')) {
        total = total + product(depth);
      } else if (text_.accept('-')) {
        total = total - product(depth);
      } else {
        return total;
      }
    }
  }

  Dim product(int depth) {
    Dim total = factor(depth);
    while (text_.accept('*')) total = total * factor(depth);
    return total;
  }

  Dim factor(int depth) {
    if (depth > kMaxDepth) return broken();
    if (text_.accept('-')) return Dim(0) - factor(depth + 1);
    if (text_.accept('(')) {
      Dim inside = sum(depth + 1);
      expect(')');
      return inside;
    }
    if (text_.peek() >= '0' && text_.peek() <= '9') return number();
    return name(depth);
  }

  Dim number() {
    const auto value = text_.take_number<std::int64_t>();
    return value ? Dim(*value) : broken();
  }

  Dim name(int depth) {
    const std::string_view word = text_.take_until(" +-*/(),");
    if (word.empty()) return broken();
    const bool is_function = word == "floor" || word == "min" || word == "max";
    if (!is_function || !text_.accept('(')) return Dim::symbol(std::string(word));
    const Dim a = sum(depth + 1);
    expect(word == "floor" ? '/' : ',');
    const Dim b = word == "floor" ? factor(depth + 1) : sum(depth + 1);
    expect(')');
    if (broken_at_) return {};
    return word == "floor" ? floor_div(a, b) : word == "min" ? min(a, b) : max(a, b);
  }

  TextScanner text_;
  std::optional<std::string_view> broken_at_;
};

}  // namespace

Dim Dim::parse(std::string_view text) {
  DimParser parser(text);
  const std::optional<Dim> dim = parser.whole();
  if (!dim)
    fail(Error::kCorrupt, "the size ", in_quotes(text), " is no expression at ",
         parser.place_of_break());
  return *dim;
}

std::optional<Dim> Dim::try_parse(std::string_view text) { return DimParser(text).whole(); }

}  // namespace voxport
