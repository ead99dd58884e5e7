// voxport speak on voices that are broken, on caches that are not ours, and on text that is too
// long.
#include <unistd.h>

#include <gtest/gtest.h>
#include <voxport/error.h>

#include "base/text.h"
#include "runtime/library.h"
#include "tests/cli/program.h"
#include "tests/needs_runtime.h"

namespace voxport::speak_voices_test {
namespace {

namespace fs = std::filesystem;

class SpeakVoices : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }

  // A small voice, exported.
  std::string voice() {
    const std::string path = (folder_ / "voice").string();
    if (fs::exists(path)) return path;
    const std::string checkpoint = data("voices/one-layer.ckpt");
    EXPECT_EQ(run("export -q --no-check " + checkpoint + " " + path).exit_code, 0);
    return path;
  }

  // Runs it so many times, and gives the different ends that it came to: exit codes and errors.
  std::vector<std::string> ends_of(const std::string& arguments, int times) {
    std::vector<std::string> ends;
    for (int i = 0; i < times; ++i) {
      const Result result = run("speak -q --raw " + arguments);
      const std::string end = cat(result.exit_code, ": ", result.err);
      if (std::find(ends.begin(), ends.end(), end) == ends.end()) ends.push_back(end);
    }
    return ends;
  }

  TemporaryFolder folder_;
};

TEST_F(SpeakVoices, ABrokenFileIsOneErrorEveryTime) {
  struct Case {
    const char* file;
    std::string content;
    int exit_code;
  };
  const std::string encoder = contents(fs::path(voice()) / "encoder.onnx");
  const std::string decoder = contents(fs::path(voice()) / "decoder.onnx");
  const Case cases[] = {
      {"encoder.onnx", encoder.substr(0, encoder.size() / 2), 3},
      {"encoder.onnx", "", 3},
      {"decoder_stream.onnx", "", 3},
      {"encoder.onnx", decoder, 4},
      {"decoder_stream.onnx", decoder.substr(0, 100), 3},
      {"voice.json", "{", 3},
  };
  for (const Case& broken : cases) {
    const fs::path file = fs::path(voice()) / broken.file;
    const std::string good = contents(file);
    write_file(file, broken.content);
    const auto ends = ends_of(voice() + " --ids '1 2 3'", 20);
    ASSERT_EQ(ends.size(), 1U) << broken.file << ": " << ends[0] << ends[1];
    EXPECT_TRUE(ends[0].starts_with(cat(broken.exit_code, ": voxport: "))) << ends[0];
    write_file(file, good);
  }
}

// Of the file it is the file's fault, of an option the user's.
TEST_F(SpeakVoices, AScaleOutOfRangeIsToldWithItsPlace) {
  const fs::path file = fs::path(voice()) / "voice.json";
  write_file(file, R"({"audio": {"sample_rate": 22050}, "inference": {"length_scale": 1000}})");
  const Result result = run("speak --raw " + voice() + " --ids '1 2'");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err, cat("voxport: the voice's config has 1000 as /inference/length_scale, ",
                            "expected a number from 0.01 to 100\n  while reading '", file.string(),
                            "'\n  while loading the voice '", voice(), "'\n"));
  write_file(file, R"({"audio": {"sample_rate": 22050}})");
  EXPECT_EQ(run("speak --raw " + voice() + " --ids '1 2' --length-scale 1000").exit_code, 2);
}

// Durations grow with the exponential of this noise, and memory with them.
TEST_F(SpeakVoices, NoiseOfDurationsIsLimited) {
  const fs::path file = fs::path(voice()) / "voice.json";
  const Result asked = run("speak --raw " + voice() + " --ids '1 2' --noise-w 20");
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_EQ(asked.err, "voxport: the noise_w is 20, expected a number from 0 to 4\n");
  write_file(file, R"({"audio": {"sample_rate": 22050}, "inference": {"noise_w": 20}})");
  const Result told = run("speak --raw " + voice() + " --ids '1 2'");
  EXPECT_EQ(told.exit_code, 3);
  EXPECT_NE(told.err.find("has 20 as /inference/noise_w, expected a number from 0 to 4"),
            std::string::npos)
      << told.err;
}

TEST_F(SpeakVoices, ABrokenGraphIsNamed) {
  const fs::path file = fs::path(voice()) / "encoder.onnx";
  write_file(file, "this is no model");
  const Result result = run("speak --raw " + voice() + " --ids '1 2'");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err,
            cat("voxport: the file is not an ONNX model: a message has a field of kind 4 at "
                "byte 0, which ONNX does not use\n  while reading '",
                file.string(), "'\n  while loading the voice '", voice(), "'\n"));
}

TEST_F(SpeakVoices, AnEspeakVoiceIsNoPath) {
  const fs::path file = fs::path(voice()) / "voice.json";
  write_file(file, R"({"audio": {"sample_rate": 22050}, "espeak": {"voice": "../../../tmp/x"},
                       "phoneme_id_map": {"_": [0], "^": [1], "$": [2], "a": [3]}})");
  const Result result = run("speak --raw " + voice() + " a");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(
      result.err,
      cat("voxport: the voice's config is broken\n  'espeak/voice' is \"../../../tmp/x\", ",
          "expected the name of a voice of espeak-ng, such as en-us, de or en+f3\n",
          "  while reading '", file.string(), "'\n  while loading the voice '", voice(), "'\n"));
}

TEST_F(SpeakVoices, MoreIdsThanMemoryAllowsAreRefused) {
  std::string ids = "1";
  for (int i = 0; i < 20'000; ++i) ids += " 3";
  write_file(folder_ / "ids", ids);
  for (const char* command : {"speak -q --raw ", "bench -q --runs 1 "}) {
    const bool is_bench = std::string(command).starts_with("bench");
    const Result result = run(command + voice() + " --memory 0.5 " +
                              (is_bench ? "--text " : "--ids ") + (folder_ / "ids").string());
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contains(result.err, "voxport: an utterance of 20,001 ids would take about "))
        << result.err;
    EXPECT_TRUE(contains(result.err, "expected at most 500.0 MB, which is ")) << result.err;
  }
}

// What an ordinary user meets. Root becomes one; where it cannot, or the program is out of the
// other's reach, there is nothing to see.
class SpeakAsUser : public SpeakVoices {
 protected:
  void SetUp() override {
    SpeakVoices::SetUp();
    if (IsSkipped()) return;
    fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::group_exec |
                                        fs::perms::group_read | fs::perms::others_exec |
                                        fs::perms::others_read);
    if (geteuid() == 0) as_user_ = "setpriv --reuid 65534 --regid 65534 --clear-groups";
    fs::copy_file(data("voices/one-layer.ckpt"), folder_ / "voice.ckpt");
    fs::create_directory(cache());
    if (geteuid() == 0) give(cache(), 65534);
    if (std::system(cat(as_user_, " '" VOXPORT_PROGRAM "' --version >/dev/null 2>&1").c_str()) != 0)
      GTEST_SKIP() << "an ordinary user cannot run the program here";
    if (std::system(cat(as_user_, " test -r '", runtime_path().string(), "'").c_str()) != 0)
      GTEST_SKIP() << "an ordinary user cannot read ONNX Runtime here";
  }

  static void give(const fs::path& path, uid_t user) {
    ASSERT_EQ(chown(path.c_str(), user, user), 0);
    if (!fs::is_directory(path)) return;
    for (const auto& entry : fs::directory_iterator(path)) give(entry.path(), user);
  }

  fs::path cache() const { return folder_ / "cache"; }

  Result speak() const {
    return run("speak --raw " + (folder_ / "voice.ckpt").string() + " --ids '1 2 3' --cache " +
                   cache().string(),
               as_user_);
  }

  fs::path entry() const { return fs::directory_iterator(cache())->path(); }

  std::string as_user_;
};

TEST_F(SpeakAsUser, UsesACacheOfHisOwn) {
  EXPECT_EQ(speak().exit_code, 0);
  const Result again = speak();
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_FALSE(contains(again.err, "damaged"));
  fs::resize_file(entry() / "encoder.onnx", 10);
  const Result mended = speak();
  EXPECT_EQ(mended.exit_code, 0) << mended.err;
  EXPECT_TRUE(contains(mended.err, cat("voxport: the voice in the cache ", cache().string(),
                                       " was damaged or incomplete, and was exported again\n")))
      << mended.err;
  EXPECT_FALSE(contains(speak().err, "damaged"));
}

TEST_F(SpeakAsUser, ReadsACacheThatCannotBeWritten) {
  ASSERT_EQ(speak().exit_code, 0);
  fs::permissions(entry(), fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(cache(), fs::perms::owner_read | fs::perms::owner_exec);
  const Result read = speak();
  EXPECT_EQ(read.exit_code, 0) << read.err;
  fs::resize_file(entry() / "encoder.onnx", 10);
  const Result damaged = speak();
  EXPECT_EQ(damaged.exit_code, 6);
  EXPECT_TRUE(contains(damaged.err, "Permission denied")) << damaged.err;
  EXPECT_TRUE(contains(damaged.err, "\n  while replacing a damaged entry of the cache\n"))
      << damaged.err;
  fs::permissions(entry(), fs::perms::owner_all);
  fs::permissions(cache(), fs::perms::owner_all);
}

TEST_F(SpeakAsUser, ReadsWhatRootHasPutThere) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files to root";
  ASSERT_EQ(speak().exit_code, 0);
  give(cache(), 0);
  for (const auto& path : fs::recursive_directory_iterator(cache()))
    fs::permissions(path.path(), fs::perms::others_read | fs::perms::others_exec,
                    fs::perm_options::add);
  fs::permissions(cache(), fs::perms::others_read | fs::perms::others_exec, fs::perm_options::add);
  const Result result = speak();
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(SpeakAsUser, UsesNoCacheOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  ASSERT_EQ(speak().exit_code, 0);
  give(cache(), 12345);
  const Result result = speak();
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_TRUE(result.err.starts_with(cat(
      "voxport: the cache is not used, because '", cache().string(),
      "' belongs to another user (12345, and we are 65534); choose another folder for the cache, ",
      "or export the checkpoint first\n")))
      << result.err;
}

}  // namespace
}  // namespace voxport::speak_voices_test
