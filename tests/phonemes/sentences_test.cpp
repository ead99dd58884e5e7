#include "phonemes/sentences.h"

#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "phonemes/unicode.h"

namespace voxport::sentences_test {
namespace {

using Lines = SentenceSplitter::Lines;
using Sentences = std::vector<std::string>;

void append(Sentences& all, Sentences more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Sentences split(std::string_view text, Lines lines = Lines::kFlow) {
  SentenceSplitter splitter(lines);
  Sentences sentences = splitter.push(text);
  append(sentences, splitter.finish());
  return sentences;
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::kCorrupt);
    return error.what();
  }
  return "nothing was wrong";
}

TEST(Sentences, EndAtMarks) {
  EXPECT_EQ(split("Hello world. How are you? Fine! And you…  Well."),
            (Sentences{"Hello world.", "How are you?", "Fine!", "And you…", "Well."}));
  EXPECT_EQ(split("no mark at all"), (Sentences{"no mark at all"}));
  EXPECT_EQ(split("really? yes! no"), (Sentences{"really?", "yes!", "no"}));
  EXPECT_EQ(split("What?! No!!! Oh..."), (Sentences{"What?!", "No!!!", "Oh..."}));
}

TEST(Sentences, AreNoneWhenThereIsNoText) {
  EXPECT_EQ(split(""), Sentences());
  EXPECT_EQ(split(" \n\t\r\n\u00a0 "), Sentences());
  EXPECT_EQ(split("\ufeff"), Sentences()) << "a byte order mark is no text";
}

TEST(Sentences, EndInManyScripts) {
  EXPECT_EQ(split("你好。世界！真的？是"), (Sentences{"你好。", "世界！", "真的？", "是"}));
  EXPECT_EQ(split("नमस्ते दुनिया।आप कैसे हैं? ठीक।"), (Sentences{"नमस्ते दुनिया।", "आप कैसे हैं?", "ठीक।"}));
  EXPECT_EQ(split("كيف حالك؟ أنا بخير."), (Sentences{"كيف حالك؟", "أنا بخير."}));
  EXPECT_EQ(split("Привет. Как дела? Хорошо."), (Sentences{"Привет.", "Как дела?", "Хорошо."}));
  EXPECT_EQ(split("یہ ہے۔ وہ ہے۔"), (Sentences{"یہ ہے۔", "وہ ہے۔"}));
}

Sentences split_keeping(const std::vector<std::string>& pieces, Lines lines = Lines::kFlow) {
  SentenceSplitter splitter(lines, SentenceSplitter::Spaces::kKept);
  Sentences sentences;
  for (const std::string& piece : pieces) append(sentences, splitter.push(piece));
  append(sentences, splitter.finish());
  return sentences;
}

TEST(Sentences, KeepTheirWhiteSpaceWhereItCounts) {
  EXPECT_EQ(split_keeping({"  a  b\tc\nd "}), (Sentences{"  a  b\tc\nd "}));
  EXPECT_EQ(split_keeping({"\n One  two.  \n Three\u00a0four?\n\n Five \r\n"}),
            (Sentences{" One  two.", "Three\u00a0four?", "Five "}));
  EXPECT_EQ(split_keeping({" a  b\n c\td \n"}, Lines::kEndSentences), (Sentences{" a  b", "c\td"}));
  EXPECT_EQ(split_keeping({" \n "}), Sentences());
  EXPECT_EQ(split_keeping({"a" + std::string(10'000, ' ') + "b"})[0].size(),
            SentenceSplitter::kLimit + 2)
      << "there is an end to it";
}

TEST(Sentences, KeepTheSameWhiteSpaceWhereverThePiecesAreCut) {
  const std::string text = "  Ä  b.\n\n  C\t\td?  e \n";
  const Sentences whole = split_keeping({text});
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(split_keeping({text.substr(0, cut), text.substr(cut)}), whole) << cut;
}

TEST(Sentences, KeepClosingQuotesAndBrackets) {
  EXPECT_EQ(split("He said \"Hello.\" Then he left."),
            (Sentences{"He said \"Hello.\"", "Then he left."}));
  EXPECT_EQ(split("(In brackets.) “Curved.” „Deutsch.“ «Да.» Out."),
            (Sentences{"(In brackets.)", "“Curved.”", "„Deutsch.“", "«Да.»", "Out."}));
  EXPECT_EQ(split("「はい。」と言った。"), (Sentences{"「はい。」", "と言った。"}));
  EXPECT_EQ(split("\"Why?\" she asked. \"Go!\" He went."),
            (Sentences{"\"Why?\" she asked.", "\"Go!\"", "He went."}));
}

TEST(Sentences, GoOnAfterAbbreviations) {
  for (const char* text :
       {"Mr. Smith went to Washington.", "Dr. Jones and Prof. Brown.", "This is e.g. that.",
        "The U.S. Army is large.", "J. R. R. Tolkien wrote it.", "A Ph.D. Student.",
        "See Fig. 3 and No. 5, vol. 2.", "It is 5 p.m. Eastern time.", "cats vs. Dogs",
        "approx. Five", "Das ist z.B. Kunst.", "On Jan. 5 it rained.", "(Mr. Smith)"}) {
    EXPECT_EQ(split(text), (Sentences{text}));
  }
  EXPECT_EQ(split("No. I will not."), (Sentences{"No.", "I will not."}));
  EXPECT_EQ(split("So did I. Then we left."), (Sentences{"So did I.", "Then we left."}));
  EXPECT_EQ(split("Cats, dogs etc. They run."), (Sentences{"Cats, dogs etc.", "They run."}));
}

TEST(Sentences, GoOnWithinNumbersNamesAndDots) {
  for (const char* text :
       {"Pi is 3.14 or so.", "Visit example.com today.", "Version 1.2.3 is out.", ".5 is half.",
        "Wait... what?", "wait … what?", "lower. case goes on."}) {
    EXPECT_EQ(split(text), (Sentences{text}));
  }
  EXPECT_EQ(split("Wait... What?"), (Sentences{"Wait...", "What?"}));
  EXPECT_EQ(split("Born in 1984. She was."), (Sentences{"Born in 1984.", "She was."}));
}

TEST(Sentences, KeepTheNumberOfAnItem) {
  EXPECT_EQ(split("1. Butter. 2. Milk."), (Sentences{"1. Butter.", "2. Milk."}));
}

TEST(Sentences, EndWithLinesOrWithParagraphs) {
  const char* text = "A title\r\nwithout a mark\n \t\nA paragraph\n\n\nThe end";
  EXPECT_EQ(split(text), (Sentences{"A title without a mark", "A paragraph", "The end"}));
  EXPECT_EQ(split(text, Lines::kEndSentences),
            (Sentences{"A title", "without a mark", "A paragraph", "The end"}));
  EXPECT_EQ(split("Mr.\nSmith", Lines::kEndSentences), (Sentences{"Mr.", "Smith"}));
  EXPECT_EQ(split("Mr.\nSmith"), (Sentences{"Mr. Smith"}));
}

TEST(Sentences, AreGivenAsSoonAsTheyAreCertain) {
  SentenceSplitter splitter(Lines::kFlow);
  EXPECT_EQ(splitter.push("Hello world."), Sentences()) << "it may go on: \"world.com\"";
  EXPECT_EQ(splitter.push(" "), Sentences()) << "small letters may follow";
  EXPECT_EQ(splitter.push("H"), (Sentences{"Hello world."}));
  EXPECT_EQ(splitter.push("ow?\n\n"), (Sentences{"How?"})) << "a paragraph is certain";
  EXPECT_EQ(splitter.push("你好。世"), (Sentences{"你好。"}));
  EXPECT_EQ(splitter.finish(), (Sentences{"世"}));
  EXPECT_EQ(splitter.push("Again. A"), (Sentences{"Again."})) << "another text";

  SentenceSplitter lines(Lines::kEndSentences);
  EXPECT_EQ(lines.push("Hello\n"), (Sentences{"Hello"}));
}

TEST(Sentences, DoNotEndWithinPhonemes) {
  EXPECT_EQ(split("Say [[a. B? c]] now. Yes."), (Sentences{"Say [[a. B? c]] now.", "Yes."}));
  EXPECT_EQ(split("Say [[ah. Be. [See. C]"), (Sentences{"Say [[ah.", "Be.", "[See.", "C]"}))
      << "never closed";
  EXPECT_EQ(split("[[a\nb]] c", Lines::kEndSentences), (Sentences{"[[a", "b]] c"}));
}

TEST(Sentences, AreCutWhereTheyHaveNoEnd) {
  std::string words;
  for (int i = 0; i < 1000; ++i) words += "word ";
  for (const std::string& sentence : split(words)) {
    EXPECT_LE(sentence.size(), SentenceSplitter::kLimit);
    EXPECT_TRUE(sentence.ends_with("word")) << sentence;
  }
  std::string clauses;
  for (int i = 0; i < 100; ++i) clauses += "one two three four five, ";
  Sentences found = split(clauses);
  for (const std::string& sentence : found) EXPECT_TRUE(sentence.ends_with("five,")) << sentence;
  EXPECT_EQ(found.size(), 7);

  found = split(std::string(1000, 'x'));
  ASSERT_EQ(found.size(), 3);
  EXPECT_EQ(found[0].size(), SentenceSplitter::kLimit);

  std::string accents;
  for (int i = 0; i < 399; ++i) accents += 'e';
  accents += "e\u0301e\u0301e\u0301";
  EXPECT_EQ(split(accents)[1], "e\u0301e\u0301e\u0301") << "no accent is cut off";
}

TEST(Sentences, NeedNoMemoryForEndlessText) {
  SentenceSplitter splitter(Lines::kFlow);
  std::size_t bytes = 0;
  const std::string piece(10'000, '!');
  for (int i = 0; i < 100; ++i)
    for (const std::string& sentence : splitter.push(piece)) bytes += sentence.size();
  EXPECT_GT(bytes, 100 * piece.size() - 1000) << "what is held back is bounded";
  for (int i = 0; i < 100; ++i) splitter.push(std::string(10'000, i % 2 == 0 ? ' ' : '\t'));
}

TEST(Sentences, RefuseWhatIsNotUtf8) {
  EXPECT_EQ(message_of([] { split("abc\xff"); }), "the text is not UTF-8 at byte 3");
  EXPECT_EQ(message_of([] { split("\u00e9\xc3"); }), "the text is not UTF-8 at byte 2")
      << "cut off";
  EXPECT_EQ(message_of([] { split("a\xed\xa0\x80"); }), "the text is not UTF-8 at byte 1")
      << "surrogate";
  EXPECT_EQ(message_of([] {
              SentenceSplitter splitter(Lines::kFlow);
              splitter.push("Hello. Wor");
              splitter.push("ld\xe2\x82");
              splitter.push("x");
            }),
            "the text is not UTF-8 at byte 12");
}

std::u32string without_space(std::string_view text) {
  std::u32string out;
  for (const char32_t c : code_points(text))
    if (!is_space(c)) out += c;
  return out;
}

// Text of all that matters to the splitter, and letters.
std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> kParts = {
      "a",      "B",    "word", "Mr",  "e.g", "3.14",   "1",       ".",           ".",
      "!",      "?",    "…",    "...", ",",   ";",      " ",       " ",           " ",
      "\n",     "\r\n", "\"",   "'",   "(",   ")",      "“",       "”",           "。",
      "，",     "你",   "[[",   "]]",  "[",   "é",      "e\u0301", "😀",           "\u200d",
      "\u00a0", "\t",   "—",    "Fig", "U.S", "\u2029", "।",       "longer words"};
  std::string text;
  const std::size_t parts = random() % 700;
  for (std::size_t i = 0; i < parts; ++i) text += kParts[random() % kParts.size()];
  if (random() % 4 == 0) text += std::string(random() % 1500, "x!. "[random() % 4]);
  return text;
}

TEST(Sentences, LoseNothingAndDoNotDependOnPieces) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_text(random);
    const Lines lines = round % 2 == 0 ? Lines::kFlow : Lines::kEndSentences;
    const Sentences whole = split(text, lines);
    std::string joined;
    for (const std::string& sentence : whole) joined += sentence;
    ASSERT_EQ(without_space(joined), without_space(text)) << text;

    SentenceSplitter splitter(lines);
    Sentences pieces;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t length = std::min<std::size_t>(1 + random() % 40, rest.size());
      append(pieces, splitter.push(rest.substr(0, length)));
      rest.remove_prefix(length);
    }
    append(pieces, splitter.finish());
    ASSERT_EQ(pieces, whole) << text;
  }
}

TEST(DivideText, CutsAtClausesThenSpacesThenAnywhere) {
  using Halves = std::pair<std::string, std::string>;
  EXPECT_EQ(divide_text("one two, three four five", 0.6), (Halves{"one two,", "three four five"}));
  EXPECT_EQ(divide_text("one two three four five", 0.6), (Halves{"one two three", "four five"}));
  EXPECT_EQ(divide_text("onetwothree", 0.5), (Halves{"onetw", "othree"}));
  EXPECT_EQ(divide_text("\u4e00\u4e8c\uff0c\u4e09\u56db\u4e94", 0.7),
            (Halves{"\u4e00\u4e8c\uff0c", "\u4e09\u56db\u4e94"}));
}

TEST(DivideText, AlwaysGetsSmaller) {
  using Halves = std::pair<std::string, std::string>;
  EXPECT_EQ(divide_text("ab", 0.99), (Halves{"a", "b"}));
  EXPECT_EQ(divide_text("ab", 0), (Halves{"a", "b"}));
  EXPECT_EQ(divide_text("a", 0.5), (Halves{"a", ""}));
  EXPECT_EQ(divide_text("", 0.5), (Halves{"", ""}));
}

TEST(DivideText, KeepsPhonemesTogether) {
  using Halves = std::pair<std::string, std::string>;
  EXPECT_EQ(divide_text("a b [[h@ l oU]] c d", 0.5), (Halves{"a b", "[[h@ l oU]] c d"}));
  EXPECT_EQ(divide_text("[[h@ l oU]] c d", 0.5), (Halves{"[[h@ l oU]]", "c d"}));
}

}  // namespace
}  // namespace voxport::sentences_test
