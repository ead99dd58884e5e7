#include "program/literal.h"

#include "base/parse_number.h"

namespace voxport {
namespace {

// Whether Python would take the word for an int, of whatever size.
bool is_int(std::string_view word) {
  return word.find_first_not_of("0123456789", word.starts_with('-') ? 1 : 0) ==
         std::string_view::npos;
}

// 2j, -0.5j, 1.5-2j.
std::optional<Argument> complex_of(std::string_view word) {
  word.remove_suffix(1);
  std::size_t split = word.find_last_of("+-");
  if (split != word.npos && split > 0 && word[split - 1] == 'e')
    split = word.find_last_of("+-", split - 1);
  if (split == word.npos) split = 0;
  const auto real = split == 0 ? std::optional(0.0) : parse_number<double>(word.substr(0, split));
  word.remove_prefix(word.substr(split).starts_with('+') ? split + 1 : split);
  const auto imaginary = parse_number<double>(word);
  if (!real || !imaginary) return std::nullopt;
  return Argument{std::complex<double>(*real, *imaginary)};
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
  if (word.ends_with('j') && word.find_first_not_of("0123456789+-.ej") == word.npos)
    return complex_of(word);
  // parse_number() knows more words for what is no number than Python's source does.
  const bool is_number = word == "inf" || word == "-inf" || word == "nan" ||
                         word.find_first_not_of("0123456789+-.e") == std::string_view::npos;
  if (!is_number) return std::nullopt;
  if (const auto number = parse_number<double>(word)) return Argument{*number};
  return std::nullopt;
}

}  // namespace voxport
