#include "phonemes/clauses.h"

#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "phonemes/unicode.h"

namespace voxport::clauses_test {
namespace {

// The clauses, each with its mark and a bar, two where a sentence ends.
std::string marked(const std::string& text, std::string_view voice = "en-us",
                   bool follows_words = false) {
  const std::u32string points = code_points(text);
  std::u32string out;
  for (const Clause& clause : find_clauses(points, voice, follows_words)) {
    out += points.substr(clause.begin, clause.words_end - clause.begin);
    if (clause.mark != 0) out += {U'<', clause.mark, U'>'};
    out += clause.ends_sentence ? U"||" : U"|";
  }
  return utf8(out);
}

TEST(Clauses, EndAtMarksBeforeWhiteSpace) {
  EXPECT_EQ(marked("One, two; three: four - five. Six? Seven!"),
            "One<,>|two<;>|three<:>|four - five<.>||Six<?>||Seven<!>||");
  EXPECT_EQ(marked("1,000 at 10:30 on example.com"), "1,000 at 10:30 on example.com||");
  EXPECT_EQ(marked("\"Why?\" (No.) Yes"), "\"Why<?>||\" (No<.>||) Yes||");
  EXPECT_EQ(marked("What?!! No!?"), "What<?>||No<!>||");
}

TEST(Clauses, GoOnWhereSmallLettersFollowADot) {
  EXPECT_EQ(marked("e.g. this, etc., and that"), "e.g. this<,>|etc., and that||");
  EXPECT_EQ(marked("the U.S.A.'s army. The"), "the U.S.A.'s army<.>||The||");
}

TEST(Clauses, NeedWords) {
  EXPECT_EQ(marked("?"), "?||");
  EXPECT_EQ(marked("... - ! a"), "... - ! a||");
  EXPECT_EQ(marked(", you.", "en-us", true), "<,>|you<.>||") << "those before count";
}

TEST(Clauses, HaveNoMarkForPiperWhereNoSpaceIsNeeded) {
  EXPECT_EQ(marked("你好，世界。好"), "你好|世界||好||");
  EXPECT_EQ(marked("Wait... what… no"), "Wait|what|no||");
  EXPECT_EQ(marked("Hola ¿qué?"), "Hola |qué<?>||");
}

TEST(Clauses, KnowOrdinals) {
  EXPECT_EQ(marked("Am 3. und 4. Mai", "de"), "Am 3. und 4<.>||Mai||");
  EXPECT_EQ(marked("Ludwig XIV. König", "de+f2"), "Ludwig XIV. König||");
  EXPECT_EQ(marked("Louis XIV. King", "en-us"), "Louis XIV<.>||King||");
  EXPECT_EQ(marked("december 2., szerda", "hu"), "december 2., szerda||");
  EXPECT_EQ(marked("december 2., Szerda", "en"), "december 2<.>||Szerda||");
}

TEST(Clauses, AreCutWhenTheyAreLong) {
  std::u32string words;
  for (int i = 0; i < 500; ++i) words += U"слово ";
  std::size_t end = 0;
  for (const Clause& clause : find_clauses(words, "ru")) {
    EXPECT_EQ(clause.begin, end);
    end = clause.end;
    const std::string text = utf8(words.substr(clause.begin, clause.end - clause.begin));
    EXPECT_LE(text.size(), kMaxClause);
    EXPECT_TRUE(text.ends_with(' ')) << "at a word's end";
  }
  EXPECT_EQ(end, words.size());
  for (const Clause& clause : find_clauses(std::u32string(3000, U'я'), "ru"))
    EXPECT_LE(2 * (clause.end - clause.begin), kMaxClause);
}

// What libespeak-ng says of a clause's end, and what Piper makes of it.
TEST(Clauses, AreThoseOfEspeak) {
  const std::map<int, char32_t> marks = {{0x80028, U'.'}, {0x41014, U','}, {0x82028, U'?'},
                                         {0x8302d, U'!'}, {0x4001e, U':'}, {0x4101e, U';'}};
  constexpr int kSentence = 0x80000;
  std::ifstream file(VOXPORT_TEST_DATA "/phonemes/espeak-ng-1.52.jsonl");
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    const auto json = nlohmann::json::parse(line);
    const std::string text = json["text"];
    std::vector<std::pair<char32_t, bool>> found;
    for (const Clause& clause : find_clauses(code_points(text), std::string(json["voice"])))
      found.emplace_back(clause.mark, clause.ends_sentence);
    std::vector<std::pair<char32_t, bool>> expected;
    for (const int terminator : json["terminators"]) {
      const auto mark = marks.find(terminator);
      expected.emplace_back(mark == marks.end() ? 0 : mark->second, (terminator & kSentence) != 0);
    }
    EXPECT_EQ(found, expected) << text;
  }
  EXPECT_GT(cases, 200);
}

}  // namespace
}  // namespace voxport::clauses_test
