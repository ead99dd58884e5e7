// The cache of voices that were exported in order to speak: what is damaged is made anew, what
// others could have changed is not used.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <future>

#include <gtest/gtest.h>
#include <voxport/error.h>
#include <voxport/speak.h>

#include "base/text.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/voices.h"

namespace voxport::speak_cache_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"encoder.onnx", "decoder.onnx", "decoder_stream.onnx",
                                  "voice.json"};

class SpeakCache : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }

  VoiceInfo load() const {
    VoiceOptions options;
    options.cache = cache();
    return Voice(data_folder() / "voices/single.ckpt", options).info();
  }

  fs::path cache() const { return folder_ / "cache"; }

  // The only one.
  fs::path entry() const {
    std::vector<fs::path> entries;
    for (const auto& found : fs::directory_iterator(cache())) entries.push_back(found.path());
    EXPECT_EQ(entries.size(), 1U);
    return entries.at(0);
  }

  std::string sums() const { return contents(entry() / "SHA256SUMS"); }

  // Does damage to a good entry, the one of the last time if there was one; then it is made anew,
  // once.
  void expect_made_anew(const std::string& damage, const std::function<void(fs::path)>& spoil) {
    if (!fs::exists(cache())) load();
    const std::string good = sums();
    spoil(entry());
    const VoiceInfo info = load();
    const std::string note = cat("the voice in the cache ", cache().string(),
                                 " was damaged or incomplete, and was exported again");
    EXPECT_EQ(std::count(info.notes.begin(), info.notes.end(), note), 1) << damage;
    EXPECT_EQ(sums(), good) << damage;
    const VoiceInfo again = load();
    EXPECT_EQ(std::count(again.notes.begin(), again.notes.end(), note), 0) << damage;
  }

  TemporaryFolder folder_;
};

TEST_F(SpeakCache, KeepsItsHashesAsSha256sumPrintsThem) {
  EXPECT_TRUE(load().notes.empty());
  std::vector<std::string> names = {"SHA256SUMS"};
  names.insert(names.end(), std::begin(kFiles), std::end(kFiles));
  for (const std::string& name : names) EXPECT_TRUE(fs::is_regular_file(entry() / name)) << name;
  EXPECT_EQ(
      std::system(cat("cd '", entry().string(), "' && sha256sum --quiet -c SHA256SUMS").c_str()),
      0);
  struct stat status {};
  ASSERT_EQ(stat(cache().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(SpeakCache, IsNotWrittenAgain) {
  load();
  const auto before = fs::last_write_time(entry() / "encoder.onnx");
  EXPECT_TRUE(load().notes.empty());
  EXPECT_EQ(fs::last_write_time(entry() / "encoder.onnx"), before);
}

TEST_F(SpeakCache, MakesADamagedFileAnew) {
  for (const std::string name : kFiles) {
    expect_made_anew(name + " truncated", [&](const fs::path& entry) {
      fs::resize_file(entry / name, fs::file_size(entry / name) / 2);
    });
    expect_made_anew(name + " with another byte", [&](const fs::path& entry) {
      std::string bytes = contents(entry / name);
      bytes[bytes.size() / 2] ^= 1;
      write_file(entry / name, bytes);
    });
  }
}

TEST_F(SpeakCache, MakesAnIncompleteEntryAnew) {
  expect_made_anew("missing", [](const fs::path& entry) { fs::remove(entry / "decoder.onnx"); });
  expect_made_anew("no hashes", [](const fs::path& entry) { fs::remove(entry / "SHA256SUMS"); });
  expect_made_anew("empty hashes",
                   [](const fs::path& entry) { fs::resize_file(entry / "SHA256SUMS", 0); });
  expect_made_anew("a folder", [](const fs::path& entry) {
    fs::remove(entry / "encoder.onnx");
    fs::create_directories(entry / "encoder.onnx/deep");
  });
  expect_made_anew("a folder of hashes", [](const fs::path& entry) {
    fs::remove(entry / "SHA256SUMS");
    fs::create_directory(entry / "SHA256SUMS");
  });
  expect_made_anew("a link", [](const fs::path& entry) {
    fs::rename(entry / "voice.json", entry / "other.json");
    fs::create_symlink("other.json", entry / "voice.json");
  });
  expect_made_anew("a pipe", [](const fs::path& entry) {
    fs::remove(entry / "encoder.onnx");
    ASSERT_EQ(mkfifo((entry / "encoder.onnx").c_str(), 0600), 0);
  });
  expect_made_anew("a file that others may change", [](const fs::path& entry) {
    fs::permissions(entry / "encoder.onnx", fs::perms::all);
  });
}

TEST_F(SpeakCache, TakesNoNoticeOfWhatElseLiesThere) {
  load();
  write_file(entry() / "acoustic.onnx", "another voice's");
  EXPECT_TRUE(load().notes.empty());
}

TEST_F(SpeakCache, MakesAnEntryAnewThatIsNoFolder) {
  load();
  const fs::path place = entry();
  fs::remove_all(place);
  write_file(place, "a file");
  EXPECT_FALSE(load().notes.empty());
  EXPECT_TRUE(load().notes.empty());
}

TEST_F(SpeakCache, LeavesOtherVersionsAlone) {
  load();
  const fs::path ours = entry();
  const std::string name = ours.filename().string();
  const fs::path theirs = cache() / (name.substr(0, name.rfind('-')) + "-0.0.1");
  fs::create_directory(theirs);
  write_file(theirs / "voice.json", "damaged");
  EXPECT_TRUE(load().notes.empty());
  EXPECT_EQ(contents(theirs / "voice.json"), "damaged");
}

// All of them find it damaged, and make it anew at once.
TEST_F(SpeakCache, IsSharedByManyAtOnce) {
  load();
  const std::string good = sums();
  for (int round = 0; round < 3; ++round) {
    fs::resize_file(entry() / "encoder.onnx", 100);
    std::vector<std::future<std::string>> loading;
    for (int i = 0; i < 4; ++i)
      loading.push_back(
          std::async(std::launch::async, [this] { return message_of([this] { load(); }); }));
    for (std::future<std::string>& message : loading) EXPECT_EQ(message.get(), "no error");
    EXPECT_EQ(sums(), good);
  }
}

TEST_F(SpeakCache, IsNotUsedWhereAnybodyMayWrite) {
  fs::create_directory(cache());
  fs::permissions(cache(), fs::perms::all);
  const std::string message = message_of([this] { load(); });
  EXPECT_TRUE(message.starts_with(cat("the cache is not used, because '", cache().string(),
                                      "' can be changed by every user; choose another folder")))
      << message;
  EXPECT_TRUE(fs::is_empty(cache()));
  fs::permissions(cache(), fs::perms::all | fs::perms::sticky_bit);
  EXPECT_TRUE(load().notes.empty()) << "as in /tmp, where each may change only what is his";
  fs::permissions(entry(), fs::perms::all);
  EXPECT_TRUE(message_of([this] { load(); }).starts_with("the cache is not used, because"));
}

TEST_F(SpeakCache, IsNotUsedWhenItIsAnotherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  fs::create_directory(cache());
  ASSERT_EQ(chown(cache().c_str(), 12345, 12345), 0);
  const std::string expected = cat(
      "the cache is not used, because '", cache().string(),
      "' belongs to another user (12345, and we are 0); choose another folder for the cache, or ",
      "export the checkpoint first");
  EXPECT_TRUE(message_of([this] { load(); }).starts_with(expected));
  ASSERT_EQ(chown(cache().c_str(), 0, 0), 0);
  load();
  ASSERT_EQ(chown(entry().c_str(), 12345, 12345), 0);
  EXPECT_TRUE(message_of([this] { load(); }).starts_with("the cache is not used, because"));
}

// Nothing stays behind of an export that fails.
TEST_F(SpeakCache, IsNotMadeForWhatIsNoVoice) {
  write_file(folder_ / "no.ckpt", "no checkpoint");
  VoiceOptions options;
  options.cache = cache();
  EXPECT_THROW(Voice(folder_ / "no.ckpt", options), Error);
  EXPECT_THROW(Voice(data_folder() / "broken_voices/missing-tensor.ckpt", options), Error);
  EXPECT_FALSE(fs::exists(cache()));
}

}  // namespace
}  // namespace voxport::speak_cache_test
