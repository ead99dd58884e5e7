#include "phonemes/sentences.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/fail.h"
#include "base/trimmed.h"
#include "phonemes/unicode.h"

namespace voxport {
namespace {

using std::u32string_view;

// White space in the text of a splitter: between words, lines, paragraphs.
constexpr char32_t kSpace = U' ';
constexpr char32_t kLine = U'\n';
constexpr char32_t kParagraph = 0x2029;

// How far beyond the limit is looked for what follows a mark.
constexpr std::size_t kLookAhead = 64;

bool is_one_of(u32string_view set, char32_t c) { return set.find(c) != u32string_view::npos; }

bool is_blank(char32_t c) { return c == kSpace || c == kLine || c == kParagraph; }

// Marks that end sentences where white space follows: of Latin and Greek, Arabic and Urdu,
// Ethiopic, Mongolian.
bool needs_space(char32_t c) {
  return is_one_of(U".!?\u2026\u203c\u2047\u2048\u2049\u037e\u061f\u06d4\u1362\u1367\u1803\u1809",
                   c);
}

// Marks that do so whatever follows: of Chinese and Japanese, Devanagari, Armenian, Burmese, Khmer,
// Tibetan.
bool needs_no_space(char32_t c) {
  return is_one_of(
      U"\u3002\uff01\uff1f\uff0e\uff61\u0964\u0965\u0589\u104b\u17d4\u17d5\u0f0d\u0f0e\u1368", c);
}

bool ends_sentences(char32_t c) { return needs_space(c) || needs_no_space(c); }

bool closes(char32_t c) {
  return is_one_of(U"\"')]}\u00bb\u203a\u2019\u201d\u201c\u300d\u300f\uff09\u3011\u300b\u3009", c);
}

bool opens(char32_t c) {
  return is_one_of(U"\"'([{\u00ab\u2039\u2018\u201c\u201e\u201a\u00bf\u00a1\u300c\u300e\uff08", c);
}

// Marks between clauses.
bool ends_clauses(char32_t c) {
  return is_one_of(U",;:\u2013\u2014\u060c\u061b\u3001\uff0c\uff1b\uff1a\u0387\u1363\u1364", c);
}

template <std::size_t size>
bool is_one_of(const std::array<u32string_view, size>& words, u32string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What stands before names.
constexpr std::array<u32string_view, 48> kTitles = {
    U"Mr",   U"Mrs",  U"Ms",  U"Mx",  U"Messrs", U"Dr",   U"Drs",          U"Prof",
    U"St",   U"Ste",  U"Mt",  U"Ft",  U"Gen",    U"Col",  U"Maj",          U"Capt",
    U"Cmdr", U"Lt",   U"Sgt", U"Cpl", U"Adm",    U"Rev",  U"Fr",           U"Sr",
    U"Jr",   U"Hon",  U"Gov", U"Sen", U"Pres",   U"Supt", U"Hr",           U"Hrn",
    U"Frl",  U"Dipl", U"Ing", U"Sra", U"Srta",   U"Mme",  U"Mlle",         U"MM",
    U"Mgr",  U"Dott", U"Avv", U"Sig", U"Dhr",    U"Mevr", U"\u0443\u043b", U"\u0438\u043c"};

// What stands within sentences.
constexpr std::array<u32string_view, 16> kWithin = {
    U"vs",   U"cf",  U"viz", U"approx", U"incl", U"excl", U"resp", U"bzw",
    U"evtl", U"ggf", U"sog", U"vgl",    U"zzgl", U"ca",   U"np",   U"tzw"};

// What stands before numbers.
constexpr std::array<u32string_view, 32> kBeforeNumbers = {
    U"no",           U"nos",         U"nr",  U"num", U"fig", U"figs",
    U"vol",          U"p",           U"pp",  U"ch",  U"sec", U"eq",
    U"art",          U"ver",         U"abb", U"bd",  U"tab", U"jan",
    U"feb",          U"mar",         U"apr", U"jun", U"jul", U"aug",
    U"sep",          U"sept",        U"oct", U"nov", U"dec", U"\u0441\u0442\u0440",
    U"\u0441\u0442", U"\u0433\u043b"};

std::u32string folded(u32string_view word) {
  std::u32string out;
  for (const char32_t c : word) out += fold_case(c);
  return out;
}

enum class Verdict { kEnds, kGoesOn, kUnsure };

// Looks for the end of the first sentence of a text, of which more may come.
class Search {
 public:
  Search(u32string_view text, SentenceSplitter::Lines lines, bool is_all)
      : text_(text.substr(0, SentenceSplitter::kLimit + kLookAhead)),
        lines_(lines),
        // What is further away than we look is taken for nothing that would end a sentence.
        at_window_end_(text_.size() < text.size() ? Verdict::kGoesOn
                       : is_all                   ? Verdict::kEnds
                                                  : Verdict::kUnsure) {}

  // Where the sentence ends; nothing when that is not known, or beyond the limit. `from` is where
  // to look, and afterwards, where to look again when there is more.
  std::optional<std::size_t> operator()(std::size_t& from) {
    while (from < std::min(text_.size(), SentenceSplitter::kLimit)) {
      const Verdict verdict = look(from);
      if (verdict == Verdict::kUnsure) return std::nullopt;
      if (verdict == Verdict::kEnds) return end_;
      from = end_;
    }
    return std::nullopt;
  }

 private:
  // Whether the sentence ends at what is at `at`, which goes up to end_.
  Verdict look(std::size_t at) {
    end_ = at + 1;
    if (is_break(text_[at])) return Verdict::kEnds;
    // More white space may make a break of it.
    if (is_blank(text_[at]) && end_ == text_.size()) return goes_on_unless_more_comes();
    if (text_[at] == U'[') return skip_phonemes(at);
    return ends_sentences(text_[at]) ? look_at_mark(at) : Verdict::kGoesOn;
  }

  Verdict goes_on_unless_more_comes() const {
    return at_window_end_ == Verdict::kUnsure ? Verdict::kUnsure : Verdict::kGoesOn;
  }

  // White space that ends any sentence.
  bool is_break(char32_t c) const {
    return c == kParagraph || (c == kLine && lines_ == SentenceSplitter::Lines::kEndSentences);
  }

  // [[...]] holds phonemes, which may be marks.
  Verdict skip_phonemes(std::size_t at) {
    if (end_ == text_.size()) return goes_on_unless_more_comes();
    if (text_[end_] != U'[') return Verdict::kGoesOn;
    for (std::size_t close = at + 2; close + 1 < text_.size(); ++close) {
      if (is_break(text_[close])) return Verdict::kGoesOn;
      if (text_.substr(close, 2) == U"]]") {
        end_ = close + 2;
        return Verdict::kGoesOn;
      }
    }
    return is_break(text_.back()) ? Verdict::kGoesOn : goes_on_unless_more_comes();
  }

  Verdict look_at_mark(std::size_t at) {
    while (end_ < text_.size() && ends_sentences(text_[end_])) ++end_;
    const std::size_t marks_end = end_;
    while (end_ < text_.size() && closes(text_[end_])) ++end_;
    if (end_ == text_.size()) return at_window_end_;
    const u32string_view marks = text_.substr(at, marks_end - at);
    if (is_break(text_[end_]) || std::any_of(marks.begin(), marks.end(), needs_no_space))
      return Verdict::kEnds;
    return is_blank(text_[end_]) ? look_at_next_word(at, marks) : Verdict::kGoesOn;
  }

  Verdict look_at_next_word(std::size_t at, u32string_view marks) const {
    std::size_t next = end_ + 1;
    while (next < text_.size() && opens(text_[next])) ++next;
    if (next == text_.size()) return at_window_end_;
    const bool is_quoted = end_ > at + marks.size();
    if ((is_quoted || is_dots(marks)) && is_lower(text_[next])) return Verdict::kGoesOn;
    const bool goes_on = marks == U"." && !is_quoted && is_abbreviation(at, text_[next]);
    return goes_on ? Verdict::kGoesOn : Verdict::kEnds;
  }

  static bool is_dots(u32string_view marks) {
    return marks.find_first_not_of(U".\u2026") == u32string_view::npos;
  }

  // Whether the word before the dot at `at` is one that goes on behind it.
  bool is_abbreviation(std::size_t at, char32_t next) const {
    std::size_t begin = at;
    while (begin > 0 && !is_blank(text_[begin - 1])) --begin;
    while (begin < at && opens(text_[begin])) ++begin;
    const u32string_view word = text_.substr(begin, at - begin);
    const bool is_first = begin == 0;
    if (word.empty()) return false;
    if (std::all_of(word.begin(), word.end(), is_digit)) return is_first;  // the number of an item
    if (word.size() == 1) return is_letter(word[0]) && (is_first || word != U"I");  // an initial
    if (word.find(U'.') != u32string_view::npos) return is_dotted(word);
    if (is_one_of(kTitles, word)) return true;
    const std::u32string small = folded(word);
    return is_one_of(kWithin, small) || (is_digit(next) && is_one_of(kBeforeNumbers, small));
  }

  // "U.S", "e.g", "Ph.D": dots between one or two letters each.
  static bool is_dotted(u32string_view word) {
    std::size_t letters = 0;
    for (const char32_t c : word) {
      const bool is_dot_in_place = c == U'.' && letters > 0;
      if (!is_dot_in_place && !is_letter(c)) return false;
      letters = is_dot_in_place ? 0 : letters + 1;
      if (letters > 2) return false;
    }
    return letters > 0;
  }

  u32string_view text_;
  SentenceSplitter::Lines lines_;
  Verdict at_window_end_;
  std::size_t end_ = 0;
};

// Where to cut a text that has no end within the limit, which is less than its length.
std::size_t place_to_cut(u32string_view text, std::size_t limit) {
  const std::size_t worthwhile = limit / 4;
  for (std::size_t at = limit; at > worthwhile; --at)
    if (is_blank(text[at]) && ends_clauses(text[at - 1])) return at;
  for (std::size_t at = limit; at > worthwhile; --at)
    if (is_blank(text[at]) || (ends_clauses(text[at - 1]) && text[at - 1] > 0x3000)) return at;
  for (std::size_t at = limit; at > worthwhile; --at)
    if (!is_combining(text[at])) return at;
  return limit;
}

// The place, moved before or behind the [[...]] that it is in.
std::size_t out_of_phonemes(u32string_view text, std::size_t at) {
  const std::size_t begin = text.substr(0, at).rfind(U"[[");
  const std::size_t end = begin == u32string_view::npos ? begin : text.find(U"]]", begin);
  if (end == u32string_view::npos || end + 2 <= at) return at;
  if (begin > 0) return begin;
  return end + 2 < text.size() ? end + 2 : at;
}

// Without blanks at either end, and with a space for each other one.
std::string finished(u32string_view text) {
  std::u32string out(trimmed(text, is_blank));
  std::replace_if(out.begin(), out.end(), is_blank, kSpace);
  return utf8(out);
}

// Whether more bytes could make a character of these.
bool is_start_of_character(std::string_view bytes) {
  for (const char next : {'\x80', '\xbf'}) {
    std::string candidate(bytes);
    while (candidate.size() < 4) {
      candidate += next;
      if (utf8_sequence(candidate) == candidate.size()) return true;
    }
  }
  return false;
}

// The white space that one piece of it and the next make together.
char32_t joined(char32_t a, char32_t b) {
  if (a == kParagraph || b == kParagraph || (a == kLine && b == kLine)) return kParagraph;
  return a == kLine || b == kLine ? kLine : kSpace;
}

char32_t kind_of_space(char32_t c) {
  if (c == kParagraph) return kParagraph;
  return c == kLine || c == 0x2028 || c == 0x85 ? kLine : kSpace;
}

}  // namespace

std::vector<std::string> SentenceSplitter::push(std::string_view piece) {
  constexpr std::size_t kMany = 4 * kLimit;
  std::vector<std::string> sentences;
  std::string joined_bytes;
  if (!cut_.empty()) {
    joined_bytes = std::exchange(cut_, {}).append(piece);
    piece = joined_bytes;
  }
  while (!piece.empty()) {
    const std::size_t length = utf8_sequence(piece);
    if (length == 0) {
      if (!is_start_of_character(piece))
        fail(Error::kCorrupt, "the text is not UTF-8 at byte ", offset_);
      cut_ = piece;
      break;
    }
    add(code_points(piece.substr(0, length)).front());
    offset_ += length;
    piece.remove_prefix(length);
    if (text_.size() >= kMany) take_sentences(sentences, false);
  }
  take_sentences(sentences, false);
  return sentences;
}

std::vector<std::string> SentenceSplitter::finish() {
  if (!cut_.empty()) fail(Error::kCorrupt, "the text is not UTF-8 at byte ", offset_);
  std::vector<std::string> sentences;
  take_sentences(sentences, true);
  *this = SentenceSplitter(lines_, spaces_);
  return sentences;
}

void SentenceSplitter::add(char32_t c) {
  constexpr char32_t kByteOrderMark = 0xfeff;
  if (c == kByteOrderMark && offset_ == 0) return;
  if (is_space(c) && spaces_ == Spaces::kKept) keep_space(c);
  if (!is_space(c)) {
    text_ += c;
  } else if (!text_.empty()) {
    if (is_blank(text_.back())) {
      text_.back() = joined(text_.back(), kind_of_space(c));
    } else {
      text_ += kind_of_space(c);
    }
  }
}

// Before the character joins the text.
void SentenceSplitter::keep_space(char32_t c) {
  const bool is_before_text = text_.empty() && !has_given_;
  if (text_.empty() && has_given_) return;
  if (!text_.empty() && !is_blank(text_.back())) kept_.emplace_back();
  std::u32string& spaces = is_before_text ? at_start_ : kept_.back();
  if (spaces.size() < kLimit) spaces += c;
}

// A sentence with the white space that it had; what is around it is only kept at the ends of the
// text.
std::string SentenceSplitter::take_kept(u32string_view sentence, bool is_last) {
  const auto without_line_breaks = [](std::u32string spaces) {
    std::erase_if(spaces, [](char32_t c) { return kind_of_space(c) != kSpace || c == U'\r'; });
    return spaces;
  };
  const std::size_t length = trimmed_end(sentence, is_blank).size();
  std::u32string out = without_line_breaks(std::exchange(at_start_, {}));
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    if (!is_blank(sentence[i])) {
      out += sentence[i];
      continue;
    }
    if (i < length) {
      out += kept_.front();
    } else if (is_last) {
      out += without_line_breaks(kept_.front());
    }
    kept_.pop_front();
  }
  has_given_ = true;
  return length == 0 ? "" : utf8(out);
}

void SentenceSplitter::take_sentences(std::vector<std::string>& out, bool is_all) {
  std::size_t begin = 0;
  while (begin < text_.size()) {
    const u32string_view rest = u32string_view(text_).substr(begin);
    auto end = Search(rest, lines_, is_all)(from_);
    if (!end && rest.size() > kLimit && from_ >= kLimit) end = place_to_cut(rest, kLimit);
    if (!end && is_all) end = rest.size();
    if (!end) break;
    std::size_t next = *end;
    while (next < rest.size() && is_blank(rest[next])) ++next;
    std::string sentence = spaces_ == Spaces::kKept
                               ? take_kept(rest.substr(0, next), is_all && next == rest.size())
                               : finished(rest.substr(0, *end));
    if (!sentence.empty()) out.push_back(std::move(sentence));
    begin += next;
    from_ = 0;
  }
  text_.erase(0, begin);
}

std::pair<std::string, std::string> divide_text(std::string_view text, double part) {
  const std::u32string points = code_points(text);
  if (points.size() < 2) return {std::string(text), ""};
  const auto most = static_cast<std::size_t>(static_cast<double>(points.size()) * part);
  const std::size_t limit = std::clamp<std::size_t>(most, 1, points.size() - 1);
  const std::size_t at = out_of_phonemes(points, place_to_cut(points, limit));
  return {finished(u32string_view(points).substr(0, at)),
          finished(u32string_view(points).substr(at))};
}

}  // namespace voxport
