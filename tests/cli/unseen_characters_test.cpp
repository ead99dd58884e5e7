// Characters that cannot be seen or that act on the text around them, in names of files and in what
// files hold: nothing that voxport prints or writes has them as they are.
#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tests/cli/program.h"

namespace voxport::unseen_characters_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const char* const kUnseen[] = {"\u2028",     "\u2029", "\u202e", "\u2066", "\u200b",
                               "\u200f",     "\ufeff", "\u0085", "\u009b", "\u00ad",
                               "\U000e0041", "\ufff9", "\x1b",   "\x7f"};

std::string all_of_them() {
  std::string text = "a";
  for (const char* unseen : kUnseen) text += unseen;
  return text + "b";
}

class UnseenCharacters : public testing::Test {
 protected:
  // A safetensors file with such names, in a folder of such a name.
  void SetUp() override {
    fs::create_directory(folder_ / all_of_them());
    const Json header = {
        {all_of_them(), {{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {0, 4}}}},
        {"__metadata__", {{all_of_them(), all_of_them()}}}};
    const std::string text = header.dump();
    const std::uint64_t size = text.size();
    std::string file(sizeof size, '\0');
    std::memcpy(file.data(), &size, sizeof size);
    write_file(path(), file + text + std::string(4, '\0'));
  }

  fs::path path() const { return folder_ / all_of_them() / "model.safetensors"; }
  std::string quoted() const { return "'" + path().string() + "'"; }

  static void expect_none_in(const std::string& text, const std::string& where) {
    for (const char* unseen : kUnseen)
      EXPECT_FALSE(contains(text, unseen)) << printable(unseen) << " in " << where;
  }

  TemporaryFolder folder_;
};

TEST_F(UnseenCharacters, AreEscapedInReportsAndErrors) {
  const std::string name = "'" + all_of_them() + "'";
  for (const std::string& command :
       {"inspect " + quoted(), "inspect --all " + quoted(), "inspect --stats " + quoted(),
        "inspect --scan " + quoted(), "inspect --tensor " + name + " " + quoted(),
        "inspect --tensor no" + name + " " + quoted(), "inspect --debug " + quoted(),
        "inspect --model " + name + " " + quoted(), "export " + quoted() + " " + quoted() + "/out",
        "check " + quoted(), "check --input " + name + " a", "speak " + quoted() + " --ids '1 2'",
        "speak a b --ids " + name, "bench " + quoted(), "speak --seed " + name + " a b", name,
        "inspect " + name + " " + name, "inspect --" + name}) {
    const Result result = run(command);
    expect_none_in(result.out, command);
    expect_none_in(result.err, command);
    EXPECT_NE(result.out + result.err, "") << command;
  }
}

TEST_F(UnseenCharacters, AreEscapedInJsonAndComeBack) {
  for (const char* command : {"inspect --json", "inspect --scan --json"}) {
    const Result result = run(cat(command, " ", quoted()));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    expect_none_in(result.out, command);
    EXPECT_EQ(Json::parse(result.out)["path"], path().string()) << command;
  }
  const Json json = Json::parse(run("inspect --json " + quoted()).out);
  EXPECT_EQ(json["tensors"][0]["name"], all_of_them());
}

}  // namespace
}  // namespace voxport::unseen_characters_test
