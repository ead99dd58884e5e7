#include "phonemes/romaniser.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "phonemes/phonemiser.h"
#include "tests/data.h"
#include "tests/temporary_folder.h"

namespace voxport::romaniser_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A program of that shell script.
class Script {
 public:
  explicit Script(const std::string& body) : path_((folder_ / "romanise").string()) {
    std::ofstream(path_) << "#!/bin/sh\n" << body << '\n';
    fs::permissions(path_, fs::perms::owner_all);
  }
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

// Writes z for each small zhe, as long as there are lines.
const char* const kGood = "while read -r line; do echo \"$line\" | sed 's/ж/zh/g'; done";

// The message without the program's path.
std::string trouble(const std::string& body, std::chrono::milliseconds limit = 5s,
                    int questions = 1) {
  const Script script(body);
  std::string message = message_of([&] {
    Romaniser romanise(script.path(), limit);
    for (int i = 0; i < questions; ++i) romanise("ж");
  });
  const std::size_t at = message.find(script.path());
  return at == std::string::npos ? message : message.replace(at, script.path().size(), "IT");
}

TEST(Romaniser, IsAskedLineByLine) {
  const Script script(kGood);
  Romaniser romanise(script.path(), 5s);
  EXPECT_EQ(romanise("жаж"), "zhаzh");
  EXPECT_EQ(romanise("ж\nж\r"), "zh zh") << "a text is one line";
  EXPECT_EQ(romanise(""), "");
}

TEST(Romaniser, TellsWhatItsProgramDoesWrong) {
  EXPECT_EQ(message_of([] { Romaniser("/nowhere/uroman", 1s); }),
            "the program '/nowhere/uroman', which is to romanise text, is not there");
  EXPECT_EQ(trouble("exit 3"), "the program 'IT' romanised no text: it ended with status 3");
  EXPECT_EQ(trouble("echo no such table >&2; exit 1"),
            "the program 'IT' romanised no text: it ended with status 1 and said: no such table");
  EXPECT_EQ(trouble("cat >/dev/null", 200ms),
            "the program 'IT' romanised no text: it took too long");
  EXPECT_EQ(trouble("while read -r line; do printf 'a\\nb\\n'; done", 5s, 2),
            "the program 'IT' romanised no text: it wrote more than one line for a line");
  EXPECT_EQ(trouble("while read -r line; do printf '\\377\\n'; done"),
            "the program 'IT' romanised no text: its answer is not UTF-8");
  EXPECT_EQ(trouble("read -r line; head -c 2000000 /dev/zero | tr '\\0' x"),
            "the program 'IT' romanised no text: it wrote more than 1048576 bytes in a line");
}

TextConfig romanised_voice() {
  return read_text_config(nlohmann::json::parse(
      R"({"phoneme_type": "text", "phoneme_id_map": {"z": [1], "h": [2]},
          "text": {"steps": ["romanise", "drop_unknown"]}})"));
}

TEST(Romaniser, ServesVoicesThatNeedIt) {
  const Script script(kGood);
  PhonemiserOptions options;
  options.romaniser = script.path();
  Phonemiser phonemise(romanised_voice(), options);
  EXPECT_EQ(phonemise("жh").at(0).ids, (std::vector<std::int64_t>{1, 2, 2}));
}

TEST(Romaniser, IsNotNeededForAscii) {
  Phonemiser phonemise(romanised_voice());
  EXPECT_EQ(phonemise("zh!").at(0).ids, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(
      message_of([&] { phonemise("ж"); }),
      "the voice was trained on romanised text: text that is not ASCII has to be converted to "
      "Latin letters by a program such as uroman, which has to be named");
}

}  // namespace
}  // namespace voxport::romaniser_test
