// SentenceSplitter: text that comes in pieces goes out in sentences, each as soon as it is certain.
//
//   SentenceSplitter splitter(SentenceSplitter::Lines::kFlow);
//   while (read(piece)) for (const std::string& sentence : splitter.push(piece)) speak(sentence);
//   for (const std::string& sentence : splitter.finish()) speak(sentence);
//
// A sentence ends at a mark that ends sentences in some script, together with the quotes and
// brackets that close after it; where words are parted by spaces, one must follow. It does not end
// after a title ("Mr. Smith"), an initial, an abbreviation with dots in it ("U.S."), the number of
// an item
// ("1. Butter"), or where small letters follow a dot. That is found out by looking at what follows,
// so that a sentence waits for the first word of the next, or for finish().
//
// What has no end for kLimit code points is cut: after a mark between clauses, else at a space,
// else anywhere. So neither memory nor patience is needed for endless text.
//
// Apart from white space, which is trimmed and made one space each, no character is lost. Where
// white space is to be kept, it is kept within sentences and at both ends of the text, apart from
// line breaks there. The sentences do not depend on where the pieces were cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace voxport {

class SentenceSplitter {
 public:
  // Whether the end of a line ends a sentence, or an empty line alone.
  enum class Lines { kEndSentences, kFlow };

  enum class Spaces { kCollapsed, kKept };

  static constexpr std::size_t kLimit = 400;

  explicit SentenceSplitter(Lines lines) : SentenceSplitter(lines, Spaces::kCollapsed) {}
  SentenceSplitter(Lines lines, Spaces spaces) : lines_(lines), spaces_(spaces) {}

  // The next piece of the text, which may be cut within a character. Fails with kCorrupt, and the
  // offset of the byte, where the text is not UTF-8.
  std::vector<std::string> push(std::string_view piece);

  // The rest, as there is no more text. What is pushed then is another text.
  std::vector<std::string> finish();

 private:
  void add(char32_t c);
  void keep_space(char32_t c);
  std::string take_kept(std::u32string_view sentence, bool is_last);
  void take_sentences(std::vector<std::string>& out, bool is_all);

  Lines lines_;
  Spaces spaces_;
  std::uint64_t offset_ = 0;  // bytes taken
  std::string cut_;           // the start of a character whose other bytes are to come
  std::u32string text_;       // not given out yet; white space is one character
  std::size_t from_ = 0;      // no sentence ends before
  std::u32string at_start_;   // white space before the text
  bool has_given_ = false;    // whether the text has begun
  // What each white space of text_ stands for, where it is kept.
  std::deque<std::u32string> kept_;
};

// A text in two, the first of which is at most `part` of it (below 1), and has a code point at
// least: cut after a mark between clauses, else at a space, else anywhere, but not within [[...]]
// unless there is nothing else. Both are trimmed. Asks for well-formed UTF-8. The second is empty
// where there is nothing to cut.
std::pair<std::string, std::string> divide_text(std::string_view text, double part);

}  // namespace voxport
