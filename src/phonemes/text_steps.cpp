#include "phonemes/text_steps.h"

#include <algorithm>

#include "base/fail.h"
#include "base/trimmed.h"
#include "phonemes/romaniser.h"
#include "phonemes/unicode.h"

namespace voxport {
namespace {

using std::u32string_view;

// More than any pairs make of a sentence that is meant.
constexpr std::size_t kMostCharacters = std::size_t{1} << 21;

// How much is compared for one text, which a config of some kilobytes could make any amount.
class Comparisons {
 public:
  void add(std::size_t characters) {
    constexpr std::size_t kMost = std::size_t{1} << 28;
    made_ += characters;
    if (made_ > kMost)
      fail(Error::kCorrupt, "the steps of the voice's config compare more than ", kMost,
           " characters for a text");
  }

 private:
  std::size_t made_ = 0;
};

std::u32string lower_unknown(const TextStep& step, const TextConfig& config, u32string_view text,
                             Comparisons& comparisons) {
  for (const std::u32string& word : step.words) comparisons.add(text.size() * word.size());
  std::u32string out;
  while (!text.empty()) {
    const auto word = std::ranges::find_if(
        step.words, [&](const std::u32string& each) { return text.starts_with(each); });
    const std::size_t length = word == step.words.end() ? 1 : word->size();
    const u32string_view part = text.substr(0, length);
    const bool stays =
        word != step.words.end() || config.phoneme_id_map.contains(utf8(part.front()));
    out += stays ? std::u32string(part) : lower_case(part);
    text.remove_prefix(length);
  }
  return out;
}

// `find` gives the place of `from` from a place on.
using Find = std::size_t (*)(u32string_view text, u32string_view from, std::size_t begin);

std::u32string with_pair(u32string_view text, Find find, u32string_view from, u32string_view to) {
  std::u32string out;
  std::size_t begin = 0;
  for (std::size_t at; (at = find(text, from, begin)) != u32string_view::npos;
       begin = at + from.size()) {
    out += text.substr(begin, at - begin);
    out += to;
    if (out.size() > kMostCharacters)
      fail(Error::kCorrupt, "the replacements of the voice's config make more than ",
           kMostCharacters, " characters of a text");
  }
  out += text.substr(begin);
  return out;
}

std::size_t find_text(u32string_view text, u32string_view part, std::size_t begin) {
  return text.find(part, begin);
}

std::u32string replaced(const TextStep& step, std::u32string text, Comparisons& comparisons) {
  for (const auto& [from, to] : step.pairs) {
    comparisons.add(text.size());
    text = with_pair(text, find_text, from, to);
  }
  return text;
}

// Where the word and its dot (the last of `word`) stand, with no letter or digit right before.
std::size_t find_abbreviation(u32string_view text, u32string_view word, std::size_t begin) {
  for (std::size_t at = begin; at + word.size() <= text.size(); ++at) {
    const bool may_be = text[at + word.size() - 1] == word.back();
    const bool is_at_start = at == 0 || !(is_alnum(text[at - 1]) || text[at - 1] == U'_');
    if (may_be && is_at_start && lower_case(text.substr(at, word.size())) == word) return at;
  }
  return u32string_view::npos;
}

std::u32string without_abbreviations(const TextStep& step, std::u32string text,
                                     Comparisons& comparisons) {
  for (const auto& [word, whole] : step.pairs) {
    comparisons.add(4 * text.size() * (word.size() + 1));  // lower case takes its time
    std::u32string with_dot = word;
    with_dot += U'.';
    text = with_pair(text, find_abbreviation, with_dot, whole);
  }
  return text;
}

std::u32string romanised(Romaniser* romaniser, std::u32string text) {
  if (std::ranges::all_of(text, [](char32_t c) { return c < 0x80; })) return text;
  if (!romaniser)
    fail_about(
        "romaniser", Error::kUnsupported,
        "the voice was trained on romanised text: text that is not ASCII has to be converted "
        "to Latin letters by a program such as uroman, which has to be named");
  return code_points((*romaniser)(utf8(text)));
}

std::u32string collapsed(u32string_view text) {
  std::u32string out;
  for (const char32_t c : text) {
    if (!is_space(c)) {
      out += c;
    } else if (out.empty() || out.back() != U' ') {
      out += U' ';
    }
  }
  return out;
}

std::u32string without_unknown(const TextConfig& config, u32string_view text,
                               std::vector<std::string>& unknown) {
  std::u32string out;
  for (const char32_t c : text) {
    std::string symbol = utf8(c);
    if (config.phoneme_id_map.contains(symbol)) {
      out += c;
    } else if (is_alnum(c) || is_combining(c)) {
      unknown.push_back(std::move(symbol));
    }
  }
  return out;
}

}  // namespace

std::u32string after_steps(const std::vector<TextStep>& steps, const TextConfig& config,
                           Romaniser* romaniser, std::u32string text,
                           std::vector<std::string>& unknown) {
  using Kind = TextStep::Kind;
  Comparisons comparisons;
  for (const TextStep& step : steps) {
    switch (step.kind) {
      case Kind::kNfc: text = compose(utf8(text)); break;
      case Kind::kNfd: text = decompose(utf8(text)); break;
      case Kind::kLower: text = lower_case(text); break;
      case Kind::kLowerUnknown: text = lower_unknown(step, config, text, comparisons); break;
      case Kind::kReplace: text = replaced(step, std::move(text), comparisons); break;
      case Kind::kAbbreviations:
        text = without_abbreviations(step, std::move(text), comparisons);
        break;
      case Kind::kRomanise: text = romanised(romaniser, std::move(text)); break;
      case Kind::kCollapse: text = collapsed(text); break;
      case Kind::kTrim: text = trimmed(u32string_view(text), is_space); break;
      case Kind::kDropUnknown: text = without_unknown(config, text, unknown); break;
    }
  }
  return text;
}

}  // namespace voxport
