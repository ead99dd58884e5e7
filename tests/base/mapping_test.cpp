// What happens to a program when a file that it has mapped can no longer be read.
#include "base/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/blob.h"
#include "base/output_file.h"
#include "tests/data.h"
#include "tests/temporary_folder.h"

namespace voxport::mapping_test {
namespace {

namespace fs = std::filesystem;

constexpr int kExit = 42;
constexpr std::size_t kPages = 16;

// How a process that runs `body` ends, with the handler set.
class Mapping : public testing::Test {
 protected:
  void SetUp() override {
    write_file(file(), "");
    fs::resize_file(file(), kPages * page());
  }

  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  fs::path file() const { return folder_ / "weights\x1b.bin"; }
  std::string shown() const { return "'" + (folder_ / "weights\\x1b.bin").string() + "'"; }
  std::string told() const { return contents(folder_ / "told"); }

  template <class Body>
  int status_of(const Body& body) const {
    const pid_t child = fork();
    if (child == 0) {
      const int fd = open((folder_ / "told").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
      dup2(fd, STDERR_FILENO);
      end_on_bus_error(kExit);
      body();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  TemporaryFolder folder_;
};

// Looks at every page, so that the compiler cannot leave it out.
void look_at(const Blob& blob) {
  volatile unsigned sum = 0;
  for (std::size_t at = 0; at < blob.size(); at += 4096)
    sum = sum + static_cast<unsigned>(blob.bytes()[at]);
}

TEST_F(Mapping, EndsInOneMessageWhenTheFileBecomesShorter) {
  for (const std::size_t left : {std::size_t{0}, page(), kPages * page() - 1 - page()}) {
    fs::resize_file(file(), kPages * page());
    const int status = status_of([&] {
      const Blob blob = Blob::map_file(file());
      fs::resize_file(file(), left);
      look_at(blob);
    });
    ASSERT_TRUE(WIFEXITED(status)) << left;
    EXPECT_EQ(WEXITSTATUS(status), kExit) << left;
    EXPECT_EQ(told(), "voxport: " + shown() + " became shorter while it was being read\n") << left;
  }
}

TEST_F(Mapping, NamesTheFileAmongMany) {
  const int status = status_of([&] {
    std::vector<Blob> others;
    for (int i = 0; i < 300; ++i) {
      others.push_back(Blob::map_file(voices_folder() / "slt-x_low.ckpt"));
      if (i % 3 == 0) others.pop_back();
      if (i == 100) others.push_back(Blob::map_file(file()));
    }
    const Blob blob = Blob::map_file(file());
    others.erase(others.begin(), others.begin() + 50);
    fs::resize_file(file(), page());
    look_at(others.size() > 20 ? Blob::map_file(voices_folder() / "slt-x_low.ckpt") : blob);
    look_at(blob);
  });
  EXPECT_EQ(WEXITSTATUS(status), kExit);
  EXPECT_EQ(told(), "voxport: " + shown() + " became shorter while it was being read\n");
}

TEST_F(Mapping, TellsOnceWhenManyThreadsLook) {
  const int status = status_of([&] {
    const Blob blob = Blob::map_file(file());
    fs::resize_file(file(), 0);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([&] { look_at(blob); });
    for (std::thread& thread : threads) thread.join();
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kExit);
  EXPECT_EQ(told(), "voxport: " + shown() + " became shorter while it was being read\n");
}

// The file is as long as it was, but its bytes do not come: pages of another, shorter file stand in
// for what the disk does not give.
TEST_F(Mapping, TellsAReadErrorFromAShorterFile) {
  const int status = status_of([&] {
    const Blob blob = Blob::map_file(file());
    write_file(folder_ / "empty", "");
    const int empty = open((folder_ / "empty").c_str(), O_RDONLY);
    void* const start = const_cast<std::byte*>(blob.bytes().data());
    mmap(start, blob.size(), PROT_READ, MAP_PRIVATE | MAP_FIXED, empty, 0);
    look_at(blob);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kExit);
  EXPECT_EQ(told(),
            "voxport: " + shown() + " cannot be read: the disk or the file system failed\n");
}

TEST_F(Mapping, LeavesNothingHalfWritten) {
  const int status = status_of([&] {
    OutputFiles files(OutputFiles::Way::kHidden);
    files.add(folder_ / "out.onnx").append(as_bytes("half"));
    const Blob blob = Blob::map_file(file());
    fs::resize_file(file(), 0);
    look_at(blob);
  });
  EXPECT_EQ(WEXITSTATUS(status), kExit);
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"told", "weights\x1b.bin"}));
}

TEST_F(Mapping, EndsBySignalWhenAnotherProcessSentIt) {
  const int status = status_of([] { kill(getpid(), SIGBUS); });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGBUS);
  EXPECT_EQ(told(), "");
}

TEST_F(Mapping, PeekingIsAnErrorLikeAnyOther) {
  const Blob blob = Blob::map_file(file());
  fs::resize_file(file(), 3 * page());
  std::byte byte[1];
  blob.peek(0, byte);
  EXPECT_EQ(message_of([&] { blob.peek(5 * page(), byte); }),
            shown() + " became shorter while it was being read");
}

// Bytes that share a page with the end of a file read as zeros, and nothing is raised.
TEST_F(Mapping, TellsAFileThatIsNoLongerWhole) {
  const Blob blob = Blob::map_file(file());
  check_is_whole(blob.bytes().data());
  fs::resize_file(file(), kPages * page() + 1);
  check_is_whole(blob.bytes().data());
  fs::resize_file(file(), kPages * page() - 1);
  EXPECT_EQ(message_of([&] { check_is_whole(blob.bytes().data()); }),
            shown() + " became shorter while it was being read");
  check_is_whole(nullptr);
  check_is_whole(&blob);  // of no file
}

TEST_F(Mapping, KeepsTheSizeOfAFileThatGrows) {
  const Blob blob = Blob::map_file(file());
  fs::resize_file(file(), 2 * kPages * page());
  EXPECT_EQ(blob.size(), kPages * page());
  look_at(blob);
}

}  // namespace
}  // namespace voxport::mapping_test
