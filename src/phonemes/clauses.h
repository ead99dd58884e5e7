// Where espeak-ng ends a clause, and with which mark.
//
// The program prints one line of phonemes for each clause and keeps the marks to itself, but
// Piper's voices were trained to hear them. So its rules are told here once more: a mark ends a
// clause where white space, a bracket, a quote or the end follows; a dot that small letters follow
// does not; nor does a mark before which nothing was said.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace voxport {

// The language of a voice: "en" of "en-gb-x-rp", "de" of "de+f2".
std::string_view language_of(std::string_view voice);

struct Clause {
  std::size_t begin;      // code points of the text; clauses follow one another without a gap
  std::size_t words_end;  // where the mark is; no mark, then the same as `end`
  std::size_t end;
  char32_t mark;       // . ? ! , : ; or 0: what Piper takes it to end with
  bool ends_sentence;  // whether what follows starts another
};

// The clauses of a text without line breaks, as espeak-ng's `voice` finds them; none has more than
// kMaxClause bytes up to its mark. With `follows_words`, a mark at the start has something to end.
inline constexpr std::size_t kMaxClause = 800;
std::vector<Clause> find_clauses(std::u32string_view text, std::string_view voice,
                                 bool follows_words = false);

}  // namespace voxport
