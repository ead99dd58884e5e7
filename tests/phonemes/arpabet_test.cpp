#include "phonemes/arpabet.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "base/join.h"
#include "phonemes/phonemiser.h"
#include "phonemes/unicode.h"
#include "phonemes/utterance.h"

namespace voxport::arpabet_test {
namespace {

using Ids = std::vector<std::int64_t>;
using Symbols = std::vector<std::string>;

TextConfig config(const std::string& type = kArpabet) {
  nlohmann::json json = {{"phoneme_type", type}, {"num_symbols", 100}};
  std::int64_t id = 0;
  for (const char* symbol : {"-", ",", " ", "a", "h", "@HH", "@AH0", "@L", "@OW1", "@W", "@ER1",
                             "@D", "@sp", "@n", "@i3"})
    json["phoneme_id_map"][symbol] = {++id};
  return read_text_config(json);
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

std::string arpabet(std::u32string_view phonemes) {
  return join(arpabet_of(phonemes), " ",
              [](const std::string& symbol) { return symbol.substr(1); });
}

// What text_to_sequence makes of it, by hand.
TEST(Arpabet, InBracesIsWords) {
  EXPECT_EQ(symbols_in_braces("{HH AH0 L OW1}"), (Symbols{"@HH", "@AH0", "@L", "@OW1"}));
  EXPECT_EQ(symbols_in_braces("{HH  AH0 }, {sp}"), (Symbols{"@HH", "@AH0", ",", " ", "@sp"}));
  EXPECT_EQ(symbols_in_braces("Ha {L}{D} -"), (Symbols{"h", "a", " ", "@L", "@D", " ", "-"}));
  EXPECT_EQ(symbols_in_braces(""), Symbols{});
}

TEST(Arpabet, BracesComeInPairsWithSomethingInThem) {
  EXPECT_EQ(message_of([] { symbols_in_braces("{HH} {AH0"); }),
            "there is a '{' without a '}' after it in '{AH0'");
  EXPECT_EQ(message_of([] { symbols_in_braces("HH} {AH0}"); }),
            "there is a '}' without a '{' before it in 'HH} '");
  EXPECT_EQ(message_of([] { symbols_in_braces("{ }"); }),
            "there are braces with nothing in them, expected phonemes, as in {HH AH0}");
}

TEST(Arpabet, UtterancesHaveNeitherPadsNorFrames) {
  const auto utterance = utterance_of_phonemes(config(), " {HH AH0 L OW1}, {W ER1 L D sp}\n");
  ASSERT_TRUE(utterance);
  EXPECT_EQ(utterance->ids, (Ids{6, 7, 8, 9, 2, 3, 10, 11, 8, 12, 13}));
  EXPECT_EQ(utterance->symbols[0], "@HH");
  EXPECT_EQ(utterance->symbol_of.back(), 10U);
  EXPECT_EQ(utterance_of_phonemes(config(kPinyin), "{n i3}")->ids, (Ids{14, 15}));
  EXPECT_FALSE(utterance_of_phonemes(config(), " "));
}

TEST(Arpabet, UnknownSymbolsAreNamedAsTheyAreWritten) {
  EXPECT_EQ(message_of([] { utterance_of_phonemes(config(), "{HH XX} q {YY}"); }),
            "the voice does not know the phonemes '{XX}', '{YY}', 'q' in '{HH XX} q {YY}'");
  EXPECT_EQ(message_of([] { utterance_of_phonemes(config(), "HH AH0"); }),
            "the voice does not know the phoneme '0' in 'HH AH0'; its phonemes are written in "
            "braces, as in {HH AH0 L OW1}");
}

TEST(Arpabet, VowelsHaveTheStressBeforeThem) {
  EXPECT_EQ(arpabet(U"həlˈoʊ wˈɜːld"), "HH AH0 L OW1 W ER1 L D");
  EXPECT_EQ(arpabet(U"ˌɪntɚnˈæʃənəl"), "IH2 N T ER0 N AE1 SH AH0 N AH0 L");
  EXPECT_EQ(arpabet(U"hˈɜːɹi"), "HH ER1 IY0") << "the r is a part of the vowel";
  EXPECT_EQ(arpabet(U"kˈɑːɹ mˈoːɹ"), "K AA1 R M AO1 R");
  EXPECT_EQ(arpabet(U"bˈʌʔn̩"), "B AH1 T AH0 N");
  EXPECT_EQ(arpabet(U"dʒˈɔɪ tʃˈaɪldʒ ðɪs ʃˈaʊɾɪŋ"), "JH OY1 CH AY1 L JH DH IH0 S SH AW1 T IH0 NG");
}

TEST(Arpabet, MarksWithinAreThePausesOfTheReference) {
  EXPECT_EQ(arpabet(U"həlˈoʊ, wˈɜːld."), "HH AH0 L OW1 sp W ER1 L D");
  EXPECT_EQ(arpabet(U"nˈoʊ.jˈɛs!hˈaɪ?ˈoʊ"), "N OW1 sp Y EH1 S sp HH AY1 sp OW1");
  EXPECT_EQ(arpabet(U"nˈoʊ; jˈɛs: hˈaɪ"), "N OW1 Y EH1 S HH AY1");
  EXPECT_EQ(arpabet(U"."), "");
}

TEST(Arpabet, NamesAPhonemeThatItDoesNotHave) {
  EXPECT_EQ(message_of([] { arpabet_of(U"ðə lˈɑːx, nˈɛs"); }),
            "espeak-ng gives the phoneme 'x', in 'lˈɑːx', which has no counterpart in ARPAbet; "
            "give the voice phonemes instead of text, as in {HH AH0 L OW1}");
  EXPECT_TRUE(message_of([] {
                arpabet_of(U"kwˈɑːsɑ̃");
              }).starts_with("espeak-ng gives the phoneme 'ɑ̃', in 'kwˈɑːsɑ̃', "));
  EXPECT_TRUE(message_of([] {
                arpabet_of(U"hˌɑːləpˈeɪnʲoʊ");
              }).starts_with("espeak-ng gives the phoneme 'nʲ', in "));
}

TEST(Arpabet, IsMadeOfText) {
  if (std::system("command -v espeak-ng >/dev/null") != 0) GTEST_SKIP() << "no espeak-ng";
  Phonemiser phonemise(config());
  const std::vector<Utterance> utterances = phonemise("Hello, world.");
  ASSERT_EQ(utterances.size(), 1U);
  EXPECT_EQ(utterances[0].ids, (Ids{6, 7, 8, 9, 13, 10, 11, 8, 12}));
  EXPECT_TRUE(
      message_of([&] { phonemise("Bach"); }).starts_with("espeak-ng gives the phoneme 'x'"));
}

TEST(Arpabet, OfMandarinIsNotMadeOfText) {
  EXPECT_EQ(message_of([] { const Phonemiser phonemise(config(kPinyin)); }),
            "the voice speaks phonemes of the type 'pinyin-in-braces', but text can only be "
            "converted to the types 'espeak', 'text' and 'arpabet'; give it phonemes or phoneme "
            "ids");
}

}  // namespace
}  // namespace voxport::arpabet_test
