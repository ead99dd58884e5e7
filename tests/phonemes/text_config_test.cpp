#include "phonemes/text_config.h"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/fail.h"

namespace voxport::text_config_test {
namespace {

using Json = nlohmann::json;

std::string message_of(const std::string& json) {
  try {
    read_text_config(Json::parse(json));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::kCorrupt);
    return error.what();
  }
  return "nothing was wrong";
}

TEST(TextConfig, IsReadFromTheBundledVoice) {
  std::ifstream file(VOXPORT_VOICES "/slt-x_low.json");
  const TextConfig config = read_text_config(Json::parse(file));
  EXPECT_EQ(config.phoneme_type, "espeak");
  EXPECT_EQ(config.espeak_voice, "en-us");
  EXPECT_EQ(config.phoneme_id_map.at("a"), std::vector<std::int64_t>{14});
  EXPECT_TRUE(config.phoneme_map.empty());
}

TEST(TextConfig, HasPipersDefaults) {
  const TextConfig config = read_text_config(Json::object());
  EXPECT_EQ(config.phoneme_type, "espeak");
  EXPECT_EQ(config.espeak_voice, "en-us");
  EXPECT_TRUE(config.phoneme_id_map.empty());
  EXPECT_EQ(config.num_symbols, 0);
}

TEST(TextConfig, ReadsMapsOfCodePoints) {
  const TextConfig config = read_text_config(Json::parse(
      R"({"phoneme_map": {"ɹ": ["r", "ː"], "c": []}, "vowel_clusters": [["a", "ɪ"], "aʊː"]})"));
  EXPECT_EQ(config.phoneme_map.at(U'ɹ'), U"rː");
  EXPECT_EQ(config.phoneme_map.at(U'c'), U"");
  EXPECT_EQ(config.vowel_clusters, (std::vector<std::u32string>{U"aʊː", U"aɪ"}))
      << "longer ones first";
}

TEST(TextConfig, MapsBrazilianAsPiperDoesUnlessTold) {
  EXPECT_EQ(read_text_config(Json::parse(R"({"espeak": {"voice": "pt-br"}})")).phoneme_map.at(U'c'),
            U"k");
  EXPECT_TRUE(read_text_config(Json::parse(R"({"espeak": {"voice": "pt-br"}, "phoneme_map": {}})"))
                  .phoneme_map.empty());
}

TEST(TextConfig, TellsAllThatIsWrongAtOnce) {
  EXPECT_EQ(
      message_of(R"({"num_symbols": 10, "phoneme_type": 7, "espeak": {"voice": ""},
                           "phoneme_id_map": {"_": [0], "^": [10], "a": 1, "b": [-1], "c": [1.5],
                                              "d": [18446744073709551615], "e": ["1"]},
                           "phoneme_map": {"ab": ["c"], "d": [1]},
                           "vowel_clusters": [["a"], 3]})"),
      "the voice's config is broken\n"
      "  'phoneme_type' is 7, expected a name\n"
      "  'espeak/voice' is \"\", expected the name of a voice of espeak-ng, such as en-us, de "
      "or en+f3\n"
      "  phoneme_id_map: '^' has the id 10, expected 0 to 9\n"
      "  phoneme_id_map: 'a' has no list of ids\n"
      "  phoneme_id_map: 'b' has the id -1, expected 0 to 9\n"
      "  phoneme_id_map: 'c' has the id 1.5, expected 0 to 9\n"
      "  phoneme_id_map: 'd' has the id 18446744073709551615, expected 0 to 9\n"
      "  phoneme_id_map: 'e' has the id \"1\", expected 0 to 9\n"
      "  phoneme_id_map: '$' is missing\n"
      "  phoneme_map: 'ab' is [\"c\"], expected one code point and a list of such\n"
      "  phoneme_map: 'd' is [1], expected one code point and a list of such\n"
      "  vowel_clusters: [\"a\"], expected two code points or more\n"
      "  vowel_clusters: 3, expected two code points or more");
}

TEST(TextConfig, TakesNamesOfEspeakVoicesAndNoPaths) {
  for (const char* voice : {"../../../tmp/x", "/etc/passwd", "--help", "gmw/en", "en+../x", "a b"})
    EXPECT_EQ(message_of(cat(R"({"espeak": {"voice": ")", voice, R"("}})")),
              cat("the voice's config is broken\n  'espeak/voice' is \"", voice,
                  "\", expected the name of a voice of espeak-ng, such as en-us, de or en+f3"));
  EXPECT_EQ(message_of(R"({"espeak": {"voice": "en-gb-x-rp+f3"}})"), "nothing was wrong");
}

// Else a few letters of text could become any number of ids.
TEST(TextConfig, HasMapsThatDoNotBlowUp) {
  std::string many = "0";
  std::string letters = "\"a\"";
  for (int i = 0; i < 32; ++i) {
    many += ", 0";
    letters += ", \"a\"";
  }
  EXPECT_EQ(message_of(cat(R"({"phoneme_id_map": {"_": [0], "^": [1], "$": [2], "a": [)", many,
                           R"(]}, "phoneme_map": {"b": [)", letters, R"(]}, "vowel_clusters": [[)",
                           letters, "]]}")),
            "the voice's config is broken\n"
            "  phoneme_id_map: 'a' has 33 ids, expected at most 32\n"
            "  phoneme_map: 'b' has 33 code points, expected at most 32\n"
            "  vowel_clusters: one has 33 code points, expected at most 32");
}

TEST(TextConfig, RefusesWhatIsNoConfig) {
  EXPECT_EQ(message_of("[]"), "the voice's config is a JSON array, expected an object");
  EXPECT_EQ(message_of(R"({"phoneme_id_map": []})"),
            "the voice's config is broken\n"
            "  'phoneme_id_map' is a JSON array, expected "
            "an object");
  EXPECT_EQ(message_of(R"({"num_symbols": 0})"),
            "the voice's config is broken\n  'num_symbols' is 0, expected a number above 0");
}

}  // namespace
}  // namespace voxport::text_config_test
