#include "program/literal.h"

#include "base/parse_number.h"

namespace voxport {
namespace {

// Whether Python would take the word for an int, of whatever size.
bool is_int(std::string_view word) {
  return word.find_first_not_of("0123456789", word.starts_with('-') ? 1 : 0) ==
         std::string_view::npos;
}

}  // namespace

std::optional<Argument> literal_of(std::string_view word) {
  if (word == "None") return Argument{};
  if (word == "True") return Argument{true};
  if (word == "False") return Argument{false};
  if (is_int(word)) {
    if (const auto number = parse_number<std::int64_t>(word)) return Argument{*number};
    return std::nullopt;
  }
  // parse_number() knows more words for what is no number than Python's source does.
  const bool is_number = word == "inf" || word == "-inf" || word == "nan" ||
                         word.find_first_not_of("0123456789+-.e") == std::string_view::npos;
  if (!is_number) return std::nullopt;
  if (const auto number = parse_number<double>(word)) return Argument{*number};
  return std::nullopt;
}

}  // namespace voxport
