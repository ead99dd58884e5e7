#include "base/output_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <voxport/error.h>

namespace voxport {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

// Both ways of writing, each in an empty folder of its own.
class OutputFileTest : public testing::TestWithParam<OutputFiles::Way> {
 protected:
  OutputFileTest() {
    std::string name = (fs::temp_directory_path() / "voxport_output_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~OutputFileTest() override { fs::remove_all(folder_); }

  // Everything in the folder, hidden files too.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      names.push_back(fs::relative(entry.path(), folder_).string());
    std::sort(names.begin(), names.end());
    return names;
  }

  using Names = std::vector<std::string>;
  fs::path folder_;
};

INSTANTIATE_TEST_SUITE_P(BothWays, OutputFileTest,
                         testing::Values(OutputFiles::Way::kNamelessIfPossible,
                                         OutputFiles::Way::kHidden));

template <class Body>
std::string error_of(Body&& body, Error::Kind kind) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "no error";
}

TEST_P(OutputFileTest, AppearsCompleteAndTogether) {
  OutputFiles files(GetParam());
  OutputFile& a = files.add(folder_ / "a");
  OutputFile& b = files.add(folder_ / "b");
  const std::string large(3'000'000, 'l');
  a.append(as_bytes("one "));
  a.append(as_bytes(large));
  a.append(as_bytes(" two"));
  b.append(as_bytes("three"));
  EXPECT_EQ(a.size(), large.size() + 8);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  files.commit();
  EXPECT_EQ(names(), (Names{"a", "b"}));
  EXPECT_EQ(read(folder_ / "a"), "one " + large + " two");
  EXPECT_EQ(read(folder_ / "b"), "three");
}

TEST_P(OutputFileTest, LeavesNothingWithoutCommit) {
  {
    OutputFiles files(GetParam());
    files.add(folder_ / "new" / "a").append(as_bytes("text"));
  }
  EXPECT_EQ(names(), Names{});
}

TEST_P(OutputFileTest, ReplacesAFileAndKeepsItsPermissions) {
  write(folder_ / "a", "old");
  chmod((folder_ / "a").c_str(), 0640);
  OutputFiles files(GetParam());
  files.add(folder_ / "a").append(as_bytes("new"));
  EXPECT_EQ(read(folder_ / "a"), "old");
  files.commit();
  EXPECT_EQ(read(folder_ / "a"), "new");
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
  EXPECT_EQ(names(), Names{"a"});
}

TEST_P(OutputFileTest, FollowsALinkToAFile) {
  write(folder_ / "a", "old");
  fs::create_symlink("a", folder_ / "link");
  OutputFiles files(GetParam());
  files.add(folder_ / "link").append(as_bytes("new"));
  files.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read(folder_ / "a"), "new");
}

TEST_P(OutputFileTest, MakesFoldersOnlyWhenItIsDone) {
  OutputFiles files(GetParam());
  files.add(folder_ / "x" / "y" / "a").append(as_bytes("text"));
  EXPECT_FALSE(fs::exists(folder_ / "x"));
  files.commit();
  EXPECT_EQ(names(), (Names{"x", "x/y", "x/y/a"}));
}

TEST_P(OutputFileTest, TakesBackWhatItPutInPlaceWhenTheRestFails) {
  OutputFiles files(GetParam());
  files.add(folder_ / "new" / "a").append(as_bytes("text"));
  files.add(folder_ / "b").append(as_bytes("text"));
  fs::create_directory(folder_ / "b");  // in the way
  const std::string message = error_of([&] { files.commit(); }, Error::kUnwritable);
  EXPECT_NE(message.find("/b'"), std::string::npos) << message;
  EXPECT_FALSE(fs::exists(folder_ / "new"));
  EXPECT_TRUE(fs::is_directory(folder_ / "b"));
}

TEST_P(OutputFileTest, RefusesFoldersDevicesAndTheSameNameTwice) {
  OutputFiles files(GetParam());
  EXPECT_EQ(error_of([&] { files.add(folder_); }, Error::kUnwritable),
            "'" + fs::canonical(folder_).string() + "' is a folder, expected the name of a file");
  EXPECT_EQ(error_of([&] { files.add("/dev/null"); }, Error::kUnwritable),
            "'/dev/null' is a device, expected the name of a file");
  error_of([&] { files.add(folder_ / "new" / ""); }, Error::kUnwritable);
  error_of([&] { files.add(""); }, Error::kUnwritable);
  write(folder_ / "a", "text");
  EXPECT_EQ(error_of([&] { files.add(folder_ / "a" / "b" / "c"); }, Error::kUnwritable),
            "'" + (fs::canonical(folder_) / "a").string() + "' is a file, expected a folder");
  files.add(folder_ / "a");
  error_of([&] { files.add(folder_ / "." / "a"); }, Error::kUsage);
}

// In a process of its own, whose files may not grow beyond a page: what a full disk does to us.
TEST_P(OutputFileTest, ReportsWhatTheDiskWouldNotTake) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    std::string message = "no error";
    try {
      OutputFiles files(GetParam());
      OutputFile& file = files.add(folder_ / "a");
      file.append(as_bytes(std::string(10'000, 'x')));
      files.commit();
    } catch (const Error& error) {
      message = error.what();
    }
    (void)!::write(pipe_ends[1], message.data(), message.size());
    _exit(0);
  }
  close(pipe_ends[1]);
  char message[1000] = {};
  (void)!::read(pipe_ends[0], message, sizeof message - 1);
  close(pipe_ends[0]);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(std::string(message),
            "cannot write '" + (fs::canonical(folder_) / "a").string() + "': File too large");
  EXPECT_EQ(names(), Names{});
}

// A child that writes until it is ended by a signal.
void end_while_writing(const fs::path& path, OutputFiles::Way way, int signal) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (signal != SIGKILL) {
      std::signal(signal, [](int) {
        remove_unfinished_files();
        _exit(1);
      });
    }
    OutputFiles files(way);
    files.add(path).append(as_bytes(std::string(1'000'000, 'x')));
    (void)!::write(pipe_ends[1], "x", 1);
    while (true) pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(pipe_ends[0], &byte, 1), 1);
  kill(child, signal);
  waitpid(child, nullptr, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST_P(OutputFileTest, LeavesNothingWhenASignalEndsIt) {
  end_while_writing(folder_ / "a", GetParam(), SIGTERM);
  EXPECT_EQ(names(), Names{});
}

TEST_P(OutputFileTest, LeavesNothingWhenKilled) {
  if (GetParam() == OutputFiles::Way::kHidden) GTEST_SKIP() << "a name outlives its process";
  end_while_writing(folder_ / "a", GetParam(), SIGKILL);
  EXPECT_EQ(names(), Names{});
}

}  // namespace
}  // namespace voxport
