#include "base/output_file.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <voxport/error.h>

namespace voxport::output_file_test {
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

  // From here on in memory, if that can be had: nothing takes long there but the giving of names.
  void go_to_memory() {
    std::string name = "/dev/shm/voxport_output_XXXXXX";
    if (mkdtemp(name.data())) fs::remove_all(std::exchange(folder_, name));
  }

  // Everything in the folder, hidden files too.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      names.push_back(entry.path().lexically_relative(folder_).string());
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

TEST_P(OutputFileTest, FollowsALinkToWhatDoesNotExistYet) {
  fs::create_symlink("nowhere", folder_ / "link");
  fs::create_symlink("new/folder", folder_ / "way");
  fs::create_symlink("link", folder_ / "link_to_link");
  OutputFiles files(GetParam());
  files.add(folder_ / "link_to_link").append(as_bytes("one"));
  files.add(folder_ / "way" / "a").append(as_bytes("two"));
  files.commit();
  EXPECT_EQ(names(),
            (Names{"link", "link_to_link", "new", "new/folder", "new/folder/a", "nowhere", "way"}));
  EXPECT_EQ(read(folder_ / "nowhere"), "one");
  EXPECT_EQ(read(folder_ / "new/folder/a"), "two");
}

TEST_P(OutputFileTest, RefusesALinkThatLeadsToItself) {
  fs::create_symlink("b", folder_ / "a");
  fs::create_symlink("a", folder_ / "b");
  OutputFiles files(GetParam());
  EXPECT_EQ(error_of([&] { files.add(folder_ / "a"); }, Error::kUnwritable),
            "cannot write '" + (folder_ / "a").string() + "': Too many levels of symbolic links");
}

// The name of a file may have 255 bytes; a hidden one beside it needs no more.
TEST_P(OutputFileTest, ReplacesAFileWithALongName) {
  const std::string name(255, 'n');
  for (const char* text : {"old", "new"}) {
    OutputFiles files(GetParam());
    files.add(folder_ / name).append(as_bytes(text));
    files.commit();
    EXPECT_EQ(read(folder_ / name), text);
  }
  EXPECT_EQ(names(), Names{name});
}

// As a process of our number may have, which was killed.
TEST_P(OutputFileTest, LeavesHiddenFilesOfOthersAlone) {
  unsigned number = 0;
  {
    OutputFiles files(OutputFiles::Way::kHidden);
    files.add(folder_ / "a");
    const std::string name = names().at(0);
    number = static_cast<unsigned>(std::stoul(name.substr(name.rfind('-') + 1)));
  }
  write(folder_ / "a", "old");
  for (unsigned i = 1; i <= 10; ++i) {
    const std::string name = ".voxport." + std::to_string(getpid()) + "-";
    write(folder_ / (name + std::to_string(number + i)), "theirs");
  }
  OutputFiles files(GetParam());
  files.add(folder_ / "a").append(as_bytes("new"));
  files.commit();
  EXPECT_EQ(read(folder_ / "a"), "new");
  EXPECT_EQ(names().size(), 11U);
  for (const std::string& name : names())
    EXPECT_EQ(read(folder_ / name), name == "a" ? "new" : "theirs") << name;
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

TEST_P(OutputFileTest, GivesBackWhatItReplacedWhenTheRestFails) {
  write(folder_ / "a", "old");
  chmod((folder_ / "a").c_str(), 0640);
  OutputFiles files(GetParam());
  files.add(folder_ / "a").append(as_bytes("new"));
  files.add(folder_ / "new" / "b").append(as_bytes("new"));
  files.add(folder_ / "c" / "d").append(as_bytes("new"));
  write(folder_ / "c", "in the way");
  error_of([&] { files.commit(); }, Error::kUnwritable);
  EXPECT_EQ(names(), (Names{"a", "c"}));
  EXPECT_EQ(read(folder_ / "a"), "old");
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
  EXPECT_EQ(status.st_nlink, 1U);
}

// A file that nobody may replace, which shows only when it is tried.
class Immutable {
 public:
  explicit Immutable(const fs::path& file) : file_(file) {
    write(file, "immutable");
    is_so_ = change("+i");
  }
  ~Immutable() { change("-i"); }
  Immutable(const Immutable&) = delete;
  Immutable& operator=(const Immutable&) = delete;

  explicit operator bool() const { return is_so_; }

 private:
  bool change(const std::string& attribute) const {
    const std::string command = "chattr " + attribute + " '" + file_.string() + "' 2>/dev/null";
    return std::system(command.c_str()) == 0;
  }

  fs::path file_;
  bool is_so_;
};

TEST_P(OutputFileTest, GivesBackWhatItReplacedWhenTheNextStays) {
  write(folder_ / "a", "old");
  const Immutable immutable(folder_ / "c");
  if (!immutable) GTEST_SKIP() << "files cannot be made immutable here";
  OutputFiles files(GetParam());
  for (const char* name : {"a", "b", "c"}) files.add(folder_ / name).append(as_bytes("new"));
  EXPECT_EQ(
      error_of([&] { files.commit(); }, Error::kUnwritable),
      "cannot write '" + (fs::canonical(folder_) / "c").string() + "': Operation not permitted");
  EXPECT_EQ(names(), (Names{"a", "c"}));
  EXPECT_EQ(read(folder_ / "a"), "old");
  EXPECT_EQ(read(folder_ / "c"), "immutable");
}

TEST_P(OutputFileTest, GivesBackWhatItReplacedWhenAHiddenFileIsGone) {
  if (GetParam() != OutputFiles::Way::kHidden) GTEST_SKIP() << "nobody can remove what has no name";
  write(folder_ / "a", "old");
  OutputFiles files(GetParam());
  files.add(folder_ / "a").append(as_bytes("new"));
  const Names before = names();
  files.add(folder_ / "b").append(as_bytes("new"));
  for (const std::string& name : names())
    if (std::find(before.begin(), before.end(), name) == before.end()) fs::remove(folder_ / name);
  error_of([&] { files.commit(); }, Error::kUnwritable);
  EXPECT_EQ(names(), Names{"a"});
  EXPECT_EQ(read(folder_ / "a"), "old");
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

// Runs `body` in a process of its own, which ends with 0 if nothing is thrown.
template <class Body>
pid_t in_process(Body&& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    _exit(1);
  }
  _exit(0);
}

int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// Where two processes wait for each other, as often as they like. A process whose partner is gone
// is ended.
class MeetingPoint {
 public:
  MeetingPoint() {
    void* shared = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    arrived_ = new (shared) std::atomic<int>(0);
  }
  ~MeetingPoint() { munmap(arrived_, sizeof *arrived_); }
  MeetingPoint(const MeetingPoint&) = delete;
  MeetingPoint& operator=(const MeetingPoint&) = delete;

  void meet() {
    alarm(20);
    ++*arrived_;
    ++times_;
    while (*arrived_ < 2 * times_) sched_yield();
  }

 private:
  std::atomic<int>* arrived_;
  int times_ = 0;
};

TEST_P(OutputFileTest, TwoProcessesMayWriteTheSameNames) {
  go_to_memory();
  constexpr int kFolders = 300;
  const Names each = {"a", "b", "c", "d", "e", "f", "g", "h"};
  MeetingPoint point;
  const auto write_all = [&](const std::string& text) {
    for (int i = 0; i < kFolders; ++i) {
      OutputFiles files(GetParam());
      for (const std::string& name : each)
        files.add(folder_ / std::to_string(i) / name).append(as_bytes(text));
      point.meet();
      files.commit();
    }
  };
  const pid_t one = in_process([&] { write_all("one"); });
  const pid_t two = in_process([&] { write_all("two"); });
  EXPECT_EQ(status_of(one), 0);
  EXPECT_EQ(status_of(two), 0);
  EXPECT_EQ(names().size(), (1 + each.size()) * kFolders);
  for (int i = 0; i < kFolders; ++i) {
    for (const std::string& name : each) {
      const std::string text = read(folder_ / std::to_string(i) / name);
      ASSERT_TRUE(text == "one" || text == "two") << i << name << ": " << text;
    }
  }
}

TEST_P(OutputFileTest, WhatFailsTakesNothingFromAnother) {
  go_to_memory();
  constexpr int kTimes = 1000;
  MeetingPoint point;
  const auto name = [&](int i) { return folder_ / ("a" + std::to_string(i)); };
  const pid_t loser = in_process([&] {
    for (int i = 0; i < kTimes; ++i) {
      OutputFiles files(GetParam());
      files.add(name(i)).append(as_bytes("loser"));
      files.add(folder_ / "b" / "c").append(as_bytes("loser"));
      write(folder_ / "b", "in the way");
      point.meet();
      error_of([&] { files.commit(); }, Error::kUnwritable);
      fs::remove(folder_ / "b");
    }
  });
  const pid_t winner = in_process([&] {
    for (int i = 0; i < kTimes; ++i) {
      OutputFiles files(GetParam());
      files.add(name(i)).append(as_bytes("winner"));
      point.meet();
      files.commit();
    }
  });
  EXPECT_EQ(status_of(loser), 0);
  EXPECT_EQ(status_of(winner), 0);
  EXPECT_EQ(names().size(), std::size_t{kTimes});
  for (int i = 0; i < kTimes; ++i) ASSERT_EQ(read(name(i)), "winner") << i;
}

TEST_P(OutputFileTest, ASignalComesBeforeTheNamesOrAfterThem) {
  go_to_memory();
  const Names all = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (int round = 0; round < 200; ++round) {
    const pid_t child = in_process([&] {
      std::signal(SIGTERM, [](int) {
        remove_unfinished_files();
        _exit(1);
      });
      for (int i = 0;; ++i) {
        OutputFiles files(GetParam());
        for (const std::string& name : all)
          files.add(folder_ / name).append(as_bytes(std::to_string(i)));
        files.commit();
      }
    });
    usleep(static_cast<useconds_t>(1000 + round * 37 % 2000));
    kill(child, SIGTERM);
    status_of(child);
    const Names found = names();
    ASSERT_TRUE(found.empty() || found == all) << round << ": " << testing::PrintToString(found);
    for (const std::string& name : found)
      ASSERT_EQ(read(folder_ / name), read(folder_ / "a")) << round << ": " << name;
    if (round % 2 == 0)
      for (const std::string& name : found) fs::remove(folder_ / name);
  }
}

}  // namespace
}  // namespace voxport::output_file_test
