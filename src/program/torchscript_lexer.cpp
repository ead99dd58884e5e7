#include "program/torchscript_lexer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/fail.h"

namespace voxport {
namespace {

using T = Token::Kind;

constexpr std::size_t kMaxTokenName = 250;
constexpr std::size_t kMaxIndents = 60;

// Longer ones first.
constexpr std::array<std::string_view, 31> kPunctuation = {
    "->", "**", "//", "==", "!=", "<=", ">=", "<<", ">>", "(", ")", "[", "]", "{", "}", ",",
    ":",  ".",  "=",  "+",  "-",  "*",  "/",  "%",  "<",  ">", "|", "^", "&", "~", "@"};

// What stands after a backslash, where it is one letter.
std::optional<char> simple_escape(char c) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  const std::size_t found = kLetters.find(c);
  if (found == std::string_view::npos) return std::nullopt;
  return kMeanings[found];
}

// Up to `count` digits of a base, taken off the front of the text; nothing when there is none.
std::optional<char> take_code(std::string_view& text, std::size_t count, int base) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  int code = 0;
  std::size_t taken = 0;
  for (; taken < count && taken < text.size(); ++taken) {
    const char lower = text[taken] >= 'A' && text[taken] <= 'F'
                           ? static_cast<char>(text[taken] - 'A' + 'a')
                           : text[taken];
    const std::size_t digit = kDigits.substr(0, static_cast<std::size_t>(base)).find(lower);
    if (digit == std::string_view::npos) break;
    code = code * base + static_cast<int>(digit);
  }
  text.remove_prefix(taken);
  if (taken == 0 || code > 255) return std::nullopt;
  return static_cast<char>(code);
}

}  // namespace

std::string text_of(const Token& token) {
  switch (token.kind) {
    case T::kNewline: return "the end of the line";
    case T::kIndent: return "a line that is indented";
    case T::kDedent: return "the end of the block";
    case T::kEnd: return "the end of the file";
    default: return in_quotes(token.text, 60);
  }
}

void Lexer::fail_at(std::string_view what) const {
  fail(Error::kCorrupt, what, ", at ", file_, ":", line_);
}

Token Lexer::token(T kind, std::size_t length) {
  const Token made{kind, line_, source_.substr(at_, length)};
  at_ += length;
  return made;
}

// At the start of a line: whether it says nothing, and was passed over.
bool Lexer::skip_blank_line() {
  const std::size_t end = std::min(source_.find_first_not_of(' ', at_), source_.size());
  if (end < source_.size() && source_[end] == '\n') {
    at_ = end + 1;
    ++line_;
    return true;
  }
  if (end == source_.size()) at_ = end;
  return false;
}

// One kIndent, or one kDedent for each block that ends; kNewline where the level stays.
Token Lexer::indentation() {
  const std::size_t end = std::min(source_.find_first_not_of(' ', at_), source_.size());
  const std::size_t width = end - at_;
  if (width < indents_.back()) {
    indents_.pop_back();
    if (width > indents_.back()) fail_at("a line is indented as no line before it");
    return token(T::kDedent, 0);
  }
  at_line_start_ = false;
  const bool is_deeper = width > indents_.back();
  if (is_deeper) indents_.push_back(width);
  if (indents_.size() > kMaxIndents) fail_at("blocks nest too deep");
  at_ = end;
  return token(is_deeper ? T::kIndent : T::kNewline, 0);
}

Token Lexer::next() {
  while (at_line_start_) {
    if (skip_blank_line()) continue;
    const Token made = indentation();
    if (made.kind != T::kNewline) return made;
  }
  while (at_ < source_.size() && (source_[at_] == ' ' || (source_[at_] == '\n' && brackets_ > 0))) {
    if (source_[at_] == '\n') ++line_;
    ++at_;
  }
  if (at_ == source_.size()) {
    at_line_start_ = indents_.size() > 1;  // the last line has no end of its own
    return token(at_line_start_ ? T::kNewline : T::kEnd, 0);
  }
  if (source_[at_] == '\n') {
    const Token made = token(T::kNewline, 1);
    ++line_;
    at_line_start_ = true;
    return made;
  }
  if (source_[at_] == '"' || source_[at_] == '\'') return string();
  if (const std::size_t length = name_length()) return token(T::kName, length);
  if (const std::size_t length = number_length()) return token(T::kNumber, length);
  const std::size_t length = punctuation_length();
  if (length == 0) fail_at(cat("found ", in_quotes(source_.substr(at_, 1)), ", expected a word"));
  const Token made = token(T::kPunctuation, length);
  if (made.is("(") || made.is("[") || made.is("{")) ++brackets_;
  if ((made.is(")") || made.is("]") || made.is("}")) && brackets_ > 0) --brackets_;
  return made;
}

std::size_t Lexer::name_length() const {
  if (!is_name_start(source_[at_])) return 0;
  std::size_t end = at_;
  while (end < source_.size() && is_name_part(source_[end])) ++end;
  if (end - at_ > kMaxTokenName)
    fail_at(cat("a name has ", end - at_, " letters, expected at most ", kMaxTokenName));
  return end - at_;
}

// 1, 1., 0.5, 1e-05, 2j
std::size_t Lexer::number_length() const {
  const std::string_view rest = source_.substr(at_, 400);
  const auto digits_from = [&](std::size_t start) {
    while (start < rest.size() && is_ascii_digit(rest[start])) ++start;
    return start;
  };
  const bool starts_with_point = rest.size() > 1 && rest[0] == '.' && is_ascii_digit(rest[1]);
  if (!is_ascii_digit(rest[0]) && !starts_with_point) return 0;
  std::size_t end = digits_from(0);
  if (end < rest.size() && rest[end] == '.') end = digits_from(end + 1);
  if (end < rest.size() && (rest[end] == 'e' || rest[end] == 'E')) {
    const bool has_sign = end + 1 < rest.size() && (rest[end + 1] == '-' || rest[end + 1] == '+');
    end = digits_from(end + 1 + (has_sign ? 1 : 0));
  }
  if (end < rest.size() && rest[end] == 'j') ++end;
  if (end == rest.size() && at_ + end < source_.size()) fail_at("a number has too many digits");
  return end;
}

std::size_t Lexer::punctuation_length() const {
  for (const std::string_view mark : kPunctuation)
    if (source_.substr(at_, mark.size()) == mark) return mark.size();
  return 0;
}

Token Lexer::string() {
  const char quote = source_[at_];
  std::size_t end = at_ + 1;
  while (end < source_.size() && source_[end] != quote && source_[end] != '\n')
    end += source_[end] == '\\' ? std::size_t{2} : std::size_t{1};
  if (end >= source_.size() || source_[end] != quote) fail_at("a string does not end");
  return token(T::kString, end + 1 - at_);
}

std::string unquoted(const Token& token, std::string_view file) {
  std::string said;
  std::string_view rest = token.text.substr(1, token.text.size() - 2);
  while (!rest.empty()) {
    const char c = rest[0];
    rest.remove_prefix(1);
    if (c != '\\') {
      said += c;
      continue;
    }
    const bool is_hex = rest[0] == 'x';  // a backslash is never the last
    std::optional<char> meant = simple_escape(rest[0]);
    if (meant || is_hex) rest.remove_prefix(1);
    if (!meant) meant = take_code(rest, is_hex ? 2 : 3, is_hex ? 16 : 8);
    if (!meant) {
      fail(Error::kCorrupt, "a string has a backslash before ", in_quotes(rest.substr(0, 1)),
           ", at ", file, ":", token.line);
    }
    said += *meant;
  }
  return said;
}

}  // namespace voxport
