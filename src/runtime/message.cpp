#include "runtime/message.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace voxport {
namespace {

constexpr std::size_t kLongest = 1000;

std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

// What follows the first `mark`; nothing when there is none.
std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
  const std::size_t found = text.find(mark);
  if (found == std::string_view::npos) return std::nullopt;
  return text.substr(found + mark.size());
}

// One past the parenthesis that closes the first of `text`; 0 when there is none.
std::size_t end_of_parentheses(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && text[i] == ')') return i + 1;
  }
  return 0;
}

// What follows the function that `text` starts with: a signature, as in "void a::b(int) const
// [with T = float] message", or a word.
std::string_view after_function(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('('));
  if (head.find("::") == std::string_view::npos) return text.substr(text.find(' ') + 1);
  text.remove_prefix(end_of_parentheses(text));
  if (text.starts_with(" const")) text.remove_prefix(6);
  if (text.starts_with(" [with")) text.remove_prefix(text.find(']') + 1);
  if (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

// "/src/core/element_wise_ops.h:563"
bool is_place(std::string_view word) {
  const std::size_t colon = word.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == word.size()) return false;
  const std::string_view file = word.substr(0, colon);
  return std::ranges::all_of(word.substr(colon + 1), is_ascii_digit) &&
         (file.ends_with(".h") || file.ends_with(".cc"));
}

// Without "file.h:563 function condition was false. ", wherever it starts.
std::string without_place(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size() - 1);
    if (is_place(text.substr(begin, end - begin))) {
      const std::string_view rest = text.substr(end + 1);
      const auto message = after(rest, " was false. ");
      return cat(text.substr(0, begin), message ? *message : after_function(rest));
    }
    begin = end + 1;
  }
  return std::string(text);
}

// "Add 'the_sum': message" for what ONNX Runtime says of a node.
std::string with_short_node(std::string_view text) {
  const auto node = after(text, "Non-zero status code returned while running ");
  const auto name = node ? after(*node, " node. Name:'") : std::nullopt;
  const auto message = name ? after(*name, "' Status Message: ") : std::nullopt;
  if (!message) return std::string(text);
  return cat(node->substr(0, node->find(' ')), " '", name->substr(0, name->find('\'')),
             "': ", *message);
}

}  // namespace

std::string plain_message(std::string_view message) {
  const std::string line = on_one_line(message);
  std::string_view text = line;
  // The caller names the model.
  if (text.starts_with("Load model from ")) text = after(text, " failed:").value_or(text);
  return printable(without_place(with_short_node(text)), kLongest);
}

bool is_out_of_memory(std::string_view message) {
  for (const std::string_view words : {"Failed to allocate memory", "bad_alloc", "bad allocation"})
    if (message.find(words) != std::string_view::npos) return true;
  return false;
}

}  // namespace voxport
