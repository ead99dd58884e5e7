// voxport speak --print-ids, as one types it. No model is run.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace voxport::print_ids_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class PrintIds : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    export_voice("'" VOXPORT_VOICES "/slt-x_low.ckpt' '" + voice("piper") + "'");
    export_voice(data("families/hf/mms") + " '" + voice("mms") + "'");
    export_voice(data("families/vits/speakers") + " '" + voice("speakers") + "'");
    export_voice(data("families/hf/vctk") + " '" + voice("vctk") + "'");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string voice(const std::string& name) { return (*folder_ / name).string(); }

  // Standard output and standard error of the program, one after the other.
  static std::string said(const std::string& name, const std::string& arguments,
                          const std::string& before = "") {
    const Result result = run("speak '" + voice(name) + "' --print-ids " + arguments, before);
    return result.out + result.err;
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> PrintIds::folder_;

// As the shell takes it.
std::string quoted_for_shell(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4)
    text.replace(at, 1, "'\\''");
  return "'" + text + "'";
}

std::string line_of(const Json& ids) {
  std::string line;
  for (const Json& id : ids) line += (line.empty() ? "" : " ") + id.dump();
  return line.empty() ? "" : line + "\n";
}

TEST_F(PrintIds, AreThoseOfTheAuthorsCode) {
  std::size_t count = 0;
  for (const auto& [name, file] :
       {std::pair{"mms", "hf/mms"}, {"speakers", "vits/speakers"}, {"vctk", "hf/vctk"}}) {
    std::ifstream recorded(data(std::string("families/") + file + ".ids.json"));
    for (const Json& given : Json::parse(recorded)) {
      if (given.contains("error")) continue;
      ++count;
      const bool is_text = given.contains("text");
      const std::string text = given[is_text ? "text" : "phonemes"];
      const Result result = run("speak '" + voice(name) + "' --print-ids --whole " +
                                (is_text ? "" : "--phonemes ") + "-- " + quoted_for_shell(text));
      EXPECT_EQ(result.out, line_of(given["ids"])) << file << ": " << given << result.err;
      EXPECT_EQ(result.exit_code, 0);
    }
  }
  EXPECT_EQ(count, 36);
}

TEST_F(PrintIds, AreOneUtterancePerLine) {
  const std::string lines = "0 26 0\n0 24 0 26 0\n";
  EXPECT_EQ(said("mms", "'a! Ba.'"), lines);
  EXPECT_EQ(said("mms", "", "printf 'a\\nba\\n' |"), lines);
  EXPECT_EQ(said("mms", "--file -", "printf 'a\\n\\nba\\n' |"), lines);
  EXPECT_EQ(said("mms", "--phonemes", "printf 'a\\nba\\n' |"), lines);
  EXPECT_EQ(said("mms", "--whole", "printf 'a\\nba\\n' |"), "0 26 0 24 0 26 0\n");
  EXPECT_EQ(said("mms", "--ids '3 4'"), "3 4\n");
  EXPECT_EQ(said("mms", "'.'"), "") << "a text without symbols has no ids here";
}

TEST_F(PrintIds, OfPipersVoicesAreFramedAsEver) {
  EXPECT_EQ(said("piper", "--phonemes 'ab'"), "1 0 14 0 15 0 2\n");
  EXPECT_EQ(said("piper", "--phonemes ''"), "");
}

TEST_F(PrintIds, NameWhatIsLeftOut) {
  const Result result = run("speak '" + voice("speakers") + "' --print-ids 'hello, l!'");
  EXPECT_EQ(result.out, "0 19 0 16 0 25 0 1 0 39 0 3 0\n");
  EXPECT_EQ(result.err, "voxport: warning: the voice has no symbol 'l', which is left out\n");
  EXPECT_EQ(said("speakers", "--phonemes 'al'"),
            "voxport: the voice does not know the phoneme 'l' in 'al'\n  while reading the text\n");
  EXPECT_EQ(said("mms", "--ids '38'"),
            "voxport: line 1, column 1: found '38', expected a phoneme id, 0 to 37\n"
            "  while reading the text\n");
}

TEST_F(PrintIds, NeedNoRuntime) {
  const Result result = run_program(VOXPORT_WITHOUT_RUNTIME,
                                    "speak '" + data("families/hf/mms") +
                                        "' --print-ids 'a! Ba.' --cache '" + voice("cache") + "'");
  EXPECT_EQ(result.out, "0 26 0\n0 24 0 26 0\n") << result.err;
  EXPECT_EQ(result.exit_code, 0);
}

TEST_F(PrintIds, SpeakNothing) {
  for (const char* other : {"-o it.wav", "--raw", "--durations it.json"}) {
    const Result result = run("speak '" + voice("mms") + "' --print-ids a " + other);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(contains(result.err, "--print-ids speaks nothing")) << result.err;
  }
}

// The voice, as if it were one of those that are written in other letters.
TEST_F(PrintIds, OfRomanisedTextNeedAProgram) {
  const fs::path folder = *folder_ / "romanised";
  fs::copy(voice("mms"), folder);
  Json config = Json::parse(contents(folder / "voice.json"));
  config["text"]["steps"] = {"lower", "romanise", "drop_unknown", "trim"};
  std::ofstream(folder / "voice.json") << config;
  EXPECT_EQ(said("romanised", "'Ab'"), "0 26 0 24 0\n");
  const Result refused = run("speak '" + folder.string() + "' --print-ids 'Ж'");
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_EQ(refused.err,
            "voxport: the voice was trained on romanised text: text that is not ASCII has to be "
            "converted to Latin letters by a program such as uroman, which has to be named\n"
            "  while reading the text\n"
            "  see --romanise\n");
  const fs::path program = *folder_ / "romanise";
  std::ofstream(program)
      << "#!/bin/sh\nwhile read -r line; do echo \"$line\" | sed 's/ж/zh/g'; done\n";
  fs::permissions(program, fs::perms::owner_all);
  EXPECT_EQ(said("romanised", "--romanise '" + program.string() + "' 'Ж! Жa'"),
            "0 2 0 6 0\n0 2 0 6 0 26 0\n");
  EXPECT_EQ(said("romanised", "--romanise false 'Ж'"),
            "voxport: the program 'false' romanised no text: it ended with status 1\n"
            "  while reading the text\n");
}

}  // namespace
}  // namespace voxport::print_ids_test
