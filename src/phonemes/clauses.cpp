#include "phonemes/clauses.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "phonemes/unicode.h"

namespace voxport {
namespace {

enum class Kind {
  kNone,
  kStop,
  kQuestion,
  kExclamation,
  kComma,
  kColon,
  kSemicolon,
  kEllipsis,
  kParagraph,
  kInWord
};

struct Range {
  char32_t first;
  char32_t last;
  Kind kind;
  bool needs_no_space = false;  // ends a clause whatever follows
};

// The marks of all scripts, by code point.
constexpr Range kMarks[] = {
    {U'!', U'!', Kind::kExclamation},
    {U',', U',', Kind::kComma},
    {U'.', U'.', Kind::kStop},
    {U':', U':', Kind::kColon},
    {U';', U';', Kind::kSemicolon},
    {U'?', U'?', Kind::kQuestion},
    {0xa1, 0xa1, Kind::kSemicolon, true},
    {0xbf, 0xbf, Kind::kSemicolon, true},
    {0x37e, 0x37e, Kind::kQuestion},
    {0x387, 0x387, Kind::kSemicolon},
    {0x55b, 0x55c, Kind::kInWord},
    {0x55d, 0x55d, Kind::kComma},
    {0x55e, 0x55e, Kind::kInWord},
    {0x589, 0x589, Kind::kStop, true},
    {0x60c, 0x60c, Kind::kComma},
    {0x61b, 0x61b, Kind::kSemicolon},
    {0x61f, 0x61f, Kind::kQuestion},
    {0x6d4, 0x6d4, Kind::kStop},
    {0x700, 0x700, Kind::kParagraph},
    {0x701, 0x701, Kind::kStop},
    {0x702, 0x702, Kind::kComma},
    {0x703, 0x703, Kind::kExclamation},
    {0x704, 0x704, Kind::kStop},
    {0x706, 0x707, Kind::kColon},
    {0x708, 0x708, Kind::kSemicolon},
    {0x709, 0x709, Kind::kQuestion},
    {0x7f8, 0x7f8, Kind::kComma},
    {0x7f9, 0x7f9, Kind::kExclamation},
    {0x964, 0x964, Kind::kStop, true},
    {0x965, 0x965, Kind::kParagraph},
    {0xdf4, 0xdf4, Kind::kStop, true},
    {0xeaf, 0xeaf, Kind::kEllipsis, true},
    {0xf0d, 0xf0d, Kind::kStop, true},
    {0xf0e, 0xf0e, Kind::kParagraph},
    {0xf14, 0xf14, Kind::kComma},
    {0x10fb, 0x10fb, Kind::kParagraph},
    {0x1362, 0x1362, Kind::kStop},
    {0x1363, 0x1363, Kind::kComma},
    {0x1364, 0x1364, Kind::kSemicolon},
    {0x1365, 0x1366, Kind::kColon},
    {0x1367, 0x1367, Kind::kQuestion},
    {0x1368, 0x1368, Kind::kParagraph},
    {0x166e, 0x166e, Kind::kStop},
    {0x1801, 0x1801, Kind::kEllipsis, true},
    {0x1802, 0x1802, Kind::kComma},
    {0x1803, 0x1803, Kind::kStop},
    {0x1804, 0x1804, Kind::kColon},
    {0x1808, 0x1808, Kind::kComma},
    {0x1809, 0x1809, Kind::kStop},
    {0x1944, 0x1944, Kind::kExclamation},
    {0x1945, 0x1945, Kind::kQuestion},
    {0x2013, 0x2014, Kind::kSemicolon},  // dashes
    {0x2026, 0x2026, Kind::kEllipsis, true},
    {0x203c, 0x203c, Kind::kExclamation},
    {0x2047, 0x2047, Kind::kQuestion},
    {0x204f, 0x204f, Kind::kSemicolon},
    {0x22ee, 0x22f1, Kind::kEllipsis, true},
    {0x2488, 0x249b, Kind::kStop},
    {0x2753, 0x2754, Kind::kQuestion},
    {0x2755, 0x2755, Kind::kExclamation},
    {0x2757, 0x2757, Kind::kExclamation},
    {0x2762, 0x2763, Kind::kExclamation},
    {0x2982, 0x2982, Kind::kColon},
    {0x2cf9, 0x2cf9, Kind::kStop},
    {0x2cfa, 0x2cfb, Kind::kQuestion},
    {0x2cfe, 0x2cfe, Kind::kStop},
    {0x2e32, 0x2e32, Kind::kComma},
    {0x2e33, 0x2e33, Kind::kStop},
    {0x2e34, 0x2e34, Kind::kComma},
    {0x2e35, 0x2e35, Kind::kSemicolon},
    {0x2e3a, 0x2e3b, Kind::kSemicolon},
    {0x2e3c, 0x2e3c, Kind::kStop},
    {0x2e41, 0x2e41, Kind::kComma},
    {0x3001, 0x3001, Kind::kComma, true},
    {0x3002, 0x3002, Kind::kStop, true},
    {0xa4fe, 0xa4fe, Kind::kComma},
    {0xa4ff, 0xa4ff, Kind::kStop},
    {0xa60d, 0xa60d, Kind::kComma},
    {0xa60e, 0xa60e, Kind::kStop},
    {0xa60f, 0xa60f, Kind::kQuestion},
    {0xa6f3, 0xa6f3, Kind::kStop},
    {0xa6f4, 0xa6f4, Kind::kColon},
    {0xa6f5, 0xa6f5, Kind::kComma},
    {0xa6f6, 0xa6f6, Kind::kSemicolon},
    {0xa6f7, 0xa6f7, Kind::kQuestion},
    {0xfe10, 0xfe11, Kind::kComma},
    {0xfe12, 0xfe12, Kind::kStop},
    {0xfe13, 0xfe13, Kind::kColon},
    {0xfe14, 0xfe14, Kind::kSemicolon},
    {0xfe15, 0xfe15, Kind::kExclamation},
    {0xfe16, 0xfe16, Kind::kQuestion},
    {0xfe19, 0xfe19, Kind::kEllipsis, true},
    {0xfe31, 0xfe32, Kind::kSemicolon},
    {0xfe50, 0xfe51, Kind::kComma},
    {0xfe52, 0xfe52, Kind::kStop},
    {0xfe54, 0xfe54, Kind::kSemicolon},
    {0xfe55, 0xfe55, Kind::kColon},
    {0xfe56, 0xfe56, Kind::kQuestion},
    {0xfe57, 0xfe57, Kind::kExclamation},
    {0xff01, 0xff01, Kind::kExclamation, true},
    {0xff0c, 0xff0c, Kind::kComma, true},
    {0xff0e, 0xff0e, Kind::kStop, true},
    {0xff1a, 0xff1a, Kind::kColon, true},
    {0xff1b, 0xff1b, Kind::kSemicolon, true},
    {0xff1f, 0xff1f, Kind::kQuestion, true},
    {0xff61, 0xff61, Kind::kStop},
    {0xff64, 0xff64, Kind::kComma},
};

constexpr Range kNoMark{0, 0, Kind::kNone};

const Range& mark_of(char32_t c) {
  const auto* found = std::lower_bound(std::begin(kMarks), std::end(kMarks), c,
                                       [](const Range& r, char32_t code) { return r.last < code; });
  return found != std::end(kMarks) && c >= found->first ? *found : kNoMark;
}

bool is_mark(char32_t c) { return mark_of(c).kind != Kind::kNone; }

// Piper compares all that espeak-ng says about a mark, so that it knows none of those that need no
// space after them, though it heeds that a sentence ends there.
char32_t piper_mark(const Range& mark) {
  if (mark.needs_no_space) return 0;
  switch (mark.kind) {
    case Kind::kStop: return U'.';
    case Kind::kQuestion: return U'?';
    case Kind::kExclamation: return U'!';
    case Kind::kComma: return U',';
    case Kind::kColon: return U':';
    case Kind::kSemicolon: return U';';
    default: return 0;
  }
}

bool ends_sentence(Kind kind) {
  return kind == Kind::kStop || kind == Kind::kQuestion || kind == Kind::kExclamation ||
         kind == Kind::kParagraph;
}

bool is_bracket(char32_t c) {
  if (c >= 0x2014 && c <= 0x201f) return true;  // the long dash, and curved quotes
  constexpr std::u32string_view kBrackets = U"()[]{}<>\"'`\u00ab\u00bb\u300a\u300b";
  return kBrackets.find(c) != std::u32string_view::npos;
}

bool is_roman(char32_t c) { return c == U'I' || c == U'V' || c == U'X' || c == U'L'; }

// Languages in which a dot after a number makes it an ordinal.
bool has_ordinal_dots(std::string_view language) {
  constexpr std::array<std::string_view, 14> kLanguages = {
      "da", "de", "et", "fi", "fo", "hu", "kl", "lt", "ltg", "lv", "nb", "nl", "sl", "smj"};
  return std::find(kLanguages.begin(), kLanguages.end(), language) != kLanguages.end();
}

// What espeak-ng does not see at all.
bool is_ignored(char32_t c, std::string_view language) {
  return c == 0xad || (language == "fa" ? c == 0x640 : c == 0x200c);
}

std::size_t utf8_length(char32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }

// Reads clause after clause, with one code point in hand and one ahead. The text is followed by a
// 0, as in C; past that is the end.
class ClauseReader {
 public:
  ClauseReader(std::u32string_view text, std::string_view voice, bool follows_words)
      : text_(text), language_(language_of(voice)), has_words_(follows_words) {}

  bool at_end() const { return at_ >= text_.size(); }

  Clause next() {
    const std::size_t begin = at_;
    const Range mark = find_end();
    has_words_ = false;
    at_ = std::min(at_, text_.size());
    const bool has_mark = mark.kind != Kind::kNone;
    return {begin, has_mark ? in_hand_ : at_, at_, piper_mark(mark),
            has_mark ? ends_sentence(mark.kind) : at_end()};
  }

 private:
  // espeak-ng's buffer for a clause: one that is longer is cut, at a word's end if possible.
  static constexpr std::size_t kCutAtWord = 725;
  static constexpr std::size_t kCut = kMaxClause - 4;

  // Reads to the end of a clause; the mark it ends with.
  Range find_end() {
    c_ = before_ = U' ';
    next_ = get();
    for (std::size_t bytes = 0; !is_past_end();) {
      before_before_ = before_;
      before_ = c_;
      c_ = next_;
      in_hand_ = at_ - 1;
      next_ = get();
      bytes += utf8_length(c_);
      if (is_ignored(c_, language_)) continue;
      has_words_ = has_words_ || is_alnum(c_);
      join_dots();
      const Range mark = mark_of(c_);
      if (mark.kind != Kind::kNone) {
        while (!is_past_end() && is_mark(next_)) next_ = get();
        if (mark.kind == Kind::kInWord) continue;
        if (may_end(mark) && ends_here()) return mark;
      }
      if ((bytes > kCutAtWord && !is_alnum(c_)) || bytes >= kCut) {
        give_back(next_);
        break;
      }
    }
    return kNoMark;
  }

  bool is_past_end() const { return at_ > text_.size(); }
  char32_t get() {
    const char32_t c = at_ < text_.size() ? text_[at_] : 0;
    ++at_;
    return c;
  }
  void give_back(char32_t c) {
    if (c != 0) --at_;
  }

  // Three dots or more are an ellipsis.
  void join_dots() {
    if (c_ != U'.' || next_ != U'.') return;
    char32_t after = 0;
    while (!is_past_end() && (after = get()) == U'.') c_ = 0x2026;
    if (c_ == 0x2026) {
      next_ = after;
    } else {
      give_back(after);
    }
  }

  bool may_end(const Range& mark) const {
    return is_space(next_) || mark.needs_no_space || is_bracket(next_) || next_ == U'?' ||
           is_past_end();
  }

  // Whether the mark in hand ends the clause, seeing what follows the white space after it, up to
  // which is read if so.
  bool ends_here() {
    char32_t after = next_;
    while (!is_past_end() && is_space(after)) after = get();
    const bool ends =
        has_words_ && !is_comma_of_ordinal(after) && (c_ != U'.' || is_full_stop_before(after));
    if (ends || (is_space(next_) && !is_past_end())) give_back(after);
    return ends;
  }

  bool is_full_stop_before(char32_t after) const {
    const bool is_genitive = after == U'\'' && at_ < text_.size() && text_[at_] == U's';
    if (is_genitive || is_lower(after)) return false;
    if (!has_ordinal_dots(language_)) return true;
    if (is_digit(before_)) return after != U'-';
    return !(is_roman(before_) && (is_roman(before_before_) || is_space(before_before_)));
  }

  // "december 2., szerda"
  bool is_comma_of_ordinal(char32_t after) const {
    return language_ == "hu" && c_ == U',' && before_ == U'.' && is_digit(before_before_) &&
           (is_digit(after) || is_lower(after));
  }

  std::u32string_view text_;
  std::string_view language_;
  bool has_words_;  // in this clause, so far
  std::size_t at_ = 0;
  std::size_t in_hand_ = 0;  // where c_ is
  char32_t c_ = 0;
  char32_t before_ = 0;
  char32_t before_before_ = 0;
  char32_t next_ = 0;
};

}  // namespace

std::string_view language_of(std::string_view voice) {
  return voice.substr(0, voice.find_first_of("-+_"));
}

std::vector<Clause> find_clauses(std::u32string_view text, std::string_view voice,
                                 bool follows_words) {
  std::vector<Clause> clauses;
  for (ClauseReader reader(text, voice, follows_words); !reader.at_end();)
    clauses.push_back(reader.next());
  return clauses;
}

}  // namespace voxport
