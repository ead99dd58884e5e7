// The rules of text, one by one; what families make of them is in arch/vits/text_test.cpp.
#include "phonemes/text_rules.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "phonemes/phonemiser.h"
#include "phonemes/text_steps.h"
#include "phonemes/unicode.h"
#include "tests/data.h"

namespace voxport::text_rules_test {
namespace {

using Ids = std::vector<std::int64_t>;
using Symbols = std::vector<std::string>;

// Six symbols of characters, with those rules.
TextConfig voice(const std::string& rules) {
  return read_text_config(nlohmann::json::parse(
      R"({"phoneme_type": "text", "num_symbols": 20,
          "phoneme_id_map": {"_": [0], "a": [1], "b": [2], " ": [3], "B": [4], "<s>": [5],
                             "</s>": [6], "é": [7], ",": [8]}, "text": )" +
      rules + "}"));
}

std::string stepped(const std::string& steps, const std::string& text, Symbols* dropped = nullptr) {
  const TextConfig config = voice(R"({"steps": )" + steps + "}");
  Symbols unknown;
  std::string out =
      utf8(after_steps(config.rules->steps, config, nullptr, code_points(text), unknown));
  if (dropped) *dropped = unknown;
  return out;
}

Ids ids(const std::string& rules, const std::string& text) {
  const TextConfig config = voice(rules);
  const auto utterances = Phonemiser(config)(text);
  return utterances.empty() ? ids_of_nothing(config) : utterances.at(0).ids;
}

TEST(TextRules, StepsChangeTextInTheirOrder) {
  EXPECT_EQ(stepped(R"(["nfc"])", "e\u0301"), "é");
  EXPECT_EQ(stepped(R"(["nfd"])", "é"), "e\u0301");
  EXPECT_EQ(stepped(R"(["lower"])", "AÉ\u0130ẞ"), "aéi\u0307ß");
  EXPECT_EQ(stepped(R"(["lower_unknown"])", "aBAÉ"), "aBaé");
  EXPECT_EQ(stepped(R"([{"lower_unknown": ["AX", "<S>"]}])", "AXA<S>S"), "AXa<S>s");
  EXPECT_EQ(stepped(R"([{"replace": [["-", " "], ["  ", ","]]}])", "a- b-b"), "a,b b");
  EXPECT_EQ(stepped(R"([{"replace": [["a", "aa"]]}])", "aba"), "aabaa") << "once each";
  EXPECT_EQ(stepped(R"(["collapse"])", " a \t\n b\u00a0"), " a b ");
  EXPECT_EQ(stepped(R"(["trim"])", " \n a  b\t"), "a  b");
  EXPECT_EQ(stepped(R"([{"replace": [["A", "x"]]}, "lower"])", "AB"), "xb");
  EXPECT_EQ(stepped(R"(["lower", {"replace": [["A", "x"]]}])", "AB"), "ab");
}

TEST(TextRules, LowerAsPythonDoes) {
  EXPECT_EQ(utf8(lower_case(U"ΣΑΣ ΟΔΟΣ.")), "σας οδος.") << "a sigma that ends a word";
  EXPECT_EQ(utf8(lower_case(U"Σ ΑΣ' ΑΣ'Α")), "σ ας' ασ'α");
  EXPECT_EQ(utf8(lower_case(U"\u212aÀЖ")), "kàж");
}

TEST(TextRules, AbbreviationsAreWholeWordsWithADot) {
  const std::string steps = R"([{"abbreviations": [["mr", "mister"], ["st", "saint"]]}])";
  EXPECT_EQ(stepped(steps, "Mr. A, mR. B"), "mister A, mister B");
  EXPECT_EQ(stepped(steps, "st.st. best. mr st_st. mr"), "saintsaint best. mr st_st. mr");
}

TEST(TextRules, DropUnknownReportsLettersAlone) {
  Symbols dropped;
  EXPECT_EQ(stepped(R"(["drop_unknown"])", "a! x2b\u0301.", &dropped), "a b");
  EXPECT_EQ(dropped, (Symbols{"x", "2", "\u0301"}));
}

TEST(TextRules, BlanksAreBetweenAllSymbolsAndAround) {
  EXPECT_EQ(ids("{}", "ab a"), (Ids{1, 2, 3, 1}));
  EXPECT_EQ(ids(R"({"blank": 0})", "ab"), (Ids{0, 1, 0, 2, 0}));
  EXPECT_EQ(ids(R"({"bos": 5, "eos": 6})", "ab"), (Ids{5, 1, 2, 6}));
  EXPECT_EQ(ids(R"({"blank": 0, "bos": 5, "eos": 6})", "ab"), (Ids{5, 0, 1, 0, 2, 0, 6}));
  EXPECT_EQ(ids(R"({"blank": 0, "bos": 5, "eos": 6})", ""), (Ids{5, 0, 6}));
  EXPECT_EQ(ids("{}", ""), Ids());
}

TEST(TextRules, SymbolsThatStandAloneHaveNoBlanks) {
  const std::string rules = R"({"blank": 0, "alone": ["b", "<s>"]})";
  EXPECT_EQ(ids(rules, "aba"), (Ids{0, 1, 0, 2, 0, 1, 0}));
  EXPECT_EQ(ids(rules, "bab"), (Ids{2, 0, 1, 0, 2}));
  EXPECT_EQ(ids(rules, "a<s>"), (Ids{0, 1, 0, 5}));
  EXPECT_EQ(ids(rules, "bb"), (Ids{2, 2}));
  EXPECT_EQ(ids(rules, ""), Ids());
  EXPECT_EQ(ids(R"({"alone": []})", ""), Ids());
  EXPECT_EQ(ids(R"({"blank": 0, "alone": []})", "a"), (Ids{0, 1, 0}));
}

TEST(TextRules, EachIdBelongsToASymbol) {
  const TextConfig config = voice(R"({"blank": 0, "bos": 5, "eos": 6, "alone": ["b"]})");
  const auto utterance = utterance_of_phonemes(config, "aba");
  ASSERT_TRUE(utterance);
  EXPECT_EQ(utterance->ids, (Ids{5, 0, 1, 0, 2, 0, 1, 0, 6}));
  EXPECT_EQ(utterance->symbols, (Symbols{"<s>", "a", "b", "a", "</s>"}));
  EXPECT_EQ(utterance->symbol_of, (std::vector<std::size_t>{0, 0, 1, 1, 2, 2, 3, 3, 4}));
  const auto without_bos = utterance_of_phonemes(voice(R"({"blank": 0})"), "ab");
  EXPECT_EQ(without_bos->symbol_of, (std::vector<std::size_t>{0, 0, 0, 1, 1}));
}

TEST(TextRules, UnknownSymbolsAreDroppedOrStoodInFor) {
  Phonemiser phonemise(voice(R"({"blank": 0})"));
  EXPECT_EQ(phonemise("axb!").at(0).ids, (Ids{0, 1, 0, 2, 0}));
  EXPECT_EQ(phonemise.take_unknown(), (Symbols{"x", "!"}));
  EXPECT_EQ(ids(R"({"unknown": 9})", "axb"), (Ids{1, 9, 2}));
  EXPECT_EQ(ids(R"({"unknown": "drop"})", "axb"), (Ids{1, 2}));
}

TEST(TextRules, UnknownPhonemesAreRefusedUnlessRulesSayOtherwise) {
  EXPECT_EQ(message_of([] { utterance_of_phonemes(voice("{}"), "axb^"); }),
            "the voice does not know the phonemes '^', 'x' in 'axb^'");
  Symbols dropped;
  EXPECT_EQ(utterance_of_phonemes(voice(R"({"unknown": "drop"})"), "axb", &dropped)->ids,
            (Ids{1, 2}));
  EXPECT_EQ(dropped, Symbols{"x"});
}

TEST(TextRules, PhonemesKeepTheirSpacesUnlessStepsSayOtherwise) {
  EXPECT_EQ(utterance_of_phonemes(voice("{}"), " a  b\n")->ids, (Ids{3, 1, 3, 3, 2}));
  EXPECT_EQ(utterance_of_phonemes(voice(R"({"phoneme_steps": ["collapse"]})"), "a  b")->ids,
            (Ids{1, 3, 2}));
}

TEST(TextRules, MarksStayBetweenThePhonemes) {
  if (std::system("espeak-ng --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no espeak-ng";
  TextConfig config = voice(R"({"steps": ["collapse", "trim"], "marks": ",.!—\"", "unknown": 0})");
  config.phoneme_type = "espeak";
  const auto said = [&](const std::string& text) {
    TextConfig all = config;
    for (const char32_t c : code_points("həlˈoʊwˈɜːldju.!—\"θɹˈiːf"))
      all.phoneme_id_map.emplace(utf8(c), std::vector<std::int64_t>{9});
    std::string symbols;
    for (const auto& utterance : Phonemiser(all)(text))
      for (const std::string& symbol : utterance.symbols) symbols += symbol;
    return symbols;
  };
  EXPECT_EQ(said("Hello, world."), "həlˈoʊ, wˈɜːld.");
  EXPECT_EQ(said("\"Hello\" —  you!"), "\"həlˈoʊ\" — juː!");
  EXPECT_EQ(said("!"), "!");
  EXPECT_EQ(said("...hello"), "...həlˈoʊ");
}

TEST(TextRules, TellAllThatIsWrongAtOnce) {
  EXPECT_EQ(
      message_of([] {
        voice(R"({"step": [], "steps": ["lower", "upper", {"lower": []}, {"replace": "x"},
                  {"replace": [["", "a"], ["a"], ["a", 1]]}, "replace", 7,
                  {"lower_unknown": [3]}],
                  "phoneme_steps": ["romanise"], "marks": 1, "blank": 20, "bos": "a", "eos": -1,
                  "alone": "k", "unknown": "keep"})");
      }),
      "the voice's config is broken\n"
      "  text: 'step' is not known\n"
      "  text: 'steps' has \"upper\", which is no step\n"
      "  text: 'steps' has {\"lower\":[]}, which is no step\n"
      "  text: 'replace' has \"x\", expected a list of at most 4096\n"
      "  text: 'replace' has [\"\",\"a\"], expected two texts, of which the first is not empty\n"
      "  text: 'replace' has [\"a\"], expected two texts, of which the first is not empty\n"
      "  text: 'replace' has 1, expected text\n"
      "  text: 'steps' has \"replace\", which is no step\n"
      "  text: 'steps' has 7, which is no step\n"
      "  text: 'lower_unknown' has 3, expected text\n"
      "  text: 'phoneme_steps' has 'romanise', which is a step of text\n"
      "  text: 'marks' has 1, expected text\n"
      "  text: 'blank' is 20, expected an id, 0 to 19\n"
      "  text: 'bos' is \"a\", expected an id, 0 to 19\n"
      "  text: 'eos' is -1, expected an id, 0 to 19\n"
      "  text: 'alone' is \"k\", expected a list of symbols\n"
      "  text: 'unknown' is \"keep\", expected 'drop' or an id");
  EXPECT_EQ(message_of([] { read_text_config(nlohmann::json::parse(R"({"text": []})")); }),
            "the voice's config is broken\n  'text' is a JSON array, expected an object");
}

TEST(TextRules, DoNotGrowATextWithoutEnd) {
  std::string pairs;
  for (int i = 0; i < 60; ++i) pairs += cat(i == 0 ? "" : ",", R"(["a","aaaa"])");
  EXPECT_EQ(message_of([&] { stepped(R"([{"replace": [)" + pairs + "]}]", "a"); }),
            "the replacements of the voice's config make more than 2097152 characters of a text");
}

// A few letters become a million, and each of those is then compared with many words.
TEST(TextRules, ComparisonsHaveAnEnd) {
  std::string pairs;
  for (int i = 0; i < 1000; ++i) pairs += cat(R"(, ["q)", i, R"(", "x"])");
  const std::string dots = std::string(60, '.');
  const std::string grown = cat(R"([{"replace": [["a", ")", dots, R"("], [".", ")", dots,
                                R"("], [".", ")", dots, R"("]]}, )");
  for (const std::string& step :
       {cat(R"({"replace": [["q", "x"])", pairs, "]}]"),
        cat(R"({"abbreviations": [["q", "x"])", pairs, "]}]"),
        cat(R"({"lower_unknown": [")", std::string(64, '.'), R"(", ")", std::string(63, '.'),
            R"(", "..q", ".q", "..r", "...q", "....q", ".....q", "q"]}, )",
            R"({"replace": [["q", "x"])", pairs, "]}]")})
    EXPECT_EQ(message_of([&] { stepped(grown + step, "aaaa"); }),
              "the steps of the voice's config compare more than 268435456 characters for a text");
}

}  // namespace
}  // namespace voxport::text_rules_test
