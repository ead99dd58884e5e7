// Words of TorchScript's source: the part of Python that PyTorch writes, in ASCII, two spaces for
// each level.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace voxport {

struct Token {
  enum class Kind : std::uint8_t {
    kName,  // keywords too
    kNumber,
    kString,  // text: with its quotes
    kPunctuation,
    kNewline,
    kIndent,
    kDedent,
    kEnd,
  };

  Kind kind = Kind::kEnd;
  std::uint32_t line = 1;
  std::string_view text;

  bool is(std::string_view other) const {
    return (kind == Kind::kName || kind == Kind::kPunctuation) && text == other;
  }
};

// "'foo'", "the end of the line": for messages.
std::string text_of(const Token& token);

class Lexer {
 public:
  // `source` stays where it is; `file` is for messages: "code/__torch__/net.py".
  Lexer(std::string_view source, std::string_view file) : source_(source), file_(file) {}

  // The next word; kEnd again and again at the end. Fails with kCorrupt for what is no word.
  Token next();

 private:
  Token token(Token::Kind kind, std::size_t length);
  Token indentation();
  Token string();
  std::size_t name_length() const;
  std::size_t number_length() const;
  std::size_t punctuation_length() const;
  bool skip_blank_line();
  [[noreturn]] void fail_at(std::string_view what) const;

  std::string_view source_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t brackets_ = 0;  // open ones; lines do not end inside of them
  bool at_line_start_ = true;
  std::vector<std::size_t> indents_ = {0};
};

// What a kString says.
std::string unquoted(const Token& token, std::string_view file);

}  // namespace voxport
