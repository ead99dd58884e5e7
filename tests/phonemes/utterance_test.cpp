#include "phonemes/utterance.h"

#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/fail.h"

namespace voxport::utterance_test {
namespace {

using Ids = std::vector<std::int64_t>;
using Symbols = std::vector<std::string>;

TextConfig config() {
  return read_text_config(nlohmann::json::parse(R"({
      "num_symbols": 20,
      "vowel_clusters": [["a", "ɪ"]],
      "phoneme_id_map": {"_": [0], "^": [1], "$": [2], " ": [3], "a": [4], "ɪ": [5], "aɪ": [6],
                         "c": [7], "̧": [8], "m": [9, 10], "mm": [11]}})"));
}

template <class Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was wrong";
}

TEST(Utterance, HasPadsBetweenSymbolsAndAFrame) {
  const auto utterance = utterance_of_phonemes(config(), "ca");
  ASSERT_TRUE(utterance);
  EXPECT_EQ(utterance->ids, (Ids{1, 0, 7, 0, 4, 0, 2}));
  EXPECT_EQ(utterance->symbols, (Symbols{"^", "c", "a", "$"}));
  EXPECT_EQ(utterance->symbol_of, (std::vector<std::size_t>{0, 0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(utterance->text, "ca");
}

TEST(Utterance, GivesASymbolAllItsIds) {
  const auto utterance = utterance_of_phonemes(config(), "m");
  ASSERT_TRUE(utterance);
  EXPECT_EQ(utterance->ids, (Ids{1, 0, 9, 10, 0, 2}));
  EXPECT_EQ(utterance->symbol_of, (std::vector<std::size_t>{0, 0, 1, 1, 1, 2}));
}

TEST(Utterance, DecomposesPhonemes) {
  EXPECT_EQ(utterance_of_phonemes(config(), "\u00e7")->ids, (Ids{1, 0, 7, 0, 8, 0, 2}));
}

TEST(Utterance, JoinsVowelClustersAndNoOtherLongSymbols) {
  EXPECT_EQ(utterance_of_phonemes(config(), "maɪ")->symbols, (Symbols{"^", "m", "aɪ", "$"}));
  EXPECT_EQ(utterance_of_phonemes(config(), "mm")->symbols, (Symbols{"^", "m", "m", "$"}));
}

TEST(Utterance, KeepsInnerSpacesOnly) {
  EXPECT_EQ(utterance_of_phonemes(config(), " a a\r\n")->symbols,
            (Symbols{"^", "a", " ", "a", "$"}));
  EXPECT_FALSE(utterance_of_phonemes(config(), " \t"));
  EXPECT_FALSE(utterance_of_phonemes(config(), ""));
}

TEST(Utterance, NamesAllPhonemesThatTheVoiceDoesNotKnow) {
  EXPECT_EQ(message_of([] { utterance_of_phonemes(config(), "axbx\x1b"); }),
            "the voice does not know the phonemes '\\x1b', 'b', 'x' in 'axbx\\x1b'");
  EXPECT_EQ(message_of([] { utterance_of_phonemes(config(), "aq"); }),
            "the voice does not know the phoneme 'q' in 'aq'");
}

TEST(Utterance, RefusesPhonemesThatAreNotUtf8) {
  EXPECT_EQ(message_of([] { utterance_of_phonemes(config(), "a\xff"); }),
            "the phonemes are not UTF-8 at byte 1");
}

TEST(Utterance, OfAVoiceWithoutAMapIsNone) {
  EXPECT_EQ(message_of([] { utterance_of_phonemes(TextConfig(), "a"); }),
            "the voice has no phoneme_id_map: it takes phoneme ids, but neither text nor phonemes");
}

TEST(ParseIds, TakesThemAsTheyStand) {
  const auto utterance = parse_ids(" 1 0\t7  2\r", 1, 20);
  ASSERT_TRUE(utterance);
  EXPECT_EQ(utterance->ids, (Ids{1, 0, 7, 2}));
  EXPECT_EQ(utterance->symbols, (Symbols{"1", "0", "7", "2"}));
  EXPECT_EQ(utterance->symbol_of, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(utterance->text, "1 0\t7  2");
  EXPECT_FALSE(parse_ids(" \t", 1, 20));
}

TEST(ParseIds, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(message_of([] { parse_ids("1 0 x7", 3, 20); }),
            "line 3, column 5: found 'x7', expected a phoneme id, 0 to 19");
  EXPECT_EQ(message_of([] { parse_ids("20", 1, 20); }),
            "line 1, column 1: found '20', expected a phoneme id, 0 to 19");
  EXPECT_EQ(message_of([] { parse_ids("-1", 1, 20); }),
            "line 1, column 1: found '-1', expected a phoneme id, 0 to 19");
  EXPECT_EQ(message_of([] { parse_ids("1,2", 1, 20); }),
            "line 1, column 1: found '1,2', expected a phoneme id, 0 to 19");
  EXPECT_EQ(message_of([] { parse_ids("99999999999999999999", 1, 0); }),
            "line 1, column 1: found '99999999999999999999', expected a phoneme id, a number from "
            "0");
  EXPECT_TRUE(parse_ids("9999", 1, 0)) << "nobody said how many there are";
}

}  // namespace
}  // namespace voxport::utterance_test
