// Files that others make shorter while they are read: one message with the name, exit code 3, and
// nothing half-written.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/cli/program.h"

namespace voxport::changed_files_test {
namespace {

namespace fs = std::filesystem;

class ChangedFiles : public testing::Test {
 protected:
  // A safetensors file of zeros that takes no room on the disk, and minutes to look at.
  fs::path huge_file() const {
    const std::uint64_t bytes = std::uint64_t{1} << 37;
    const std::string header =
        cat(R"({"w":{"dtype":"F32","shape":[)", bytes / 4, R"(],"data_offsets":[0,)", bytes, "]}}");
    const std::uint64_t size = header.size();
    std::string start(sizeof size, '\0');
    std::memcpy(start.data(), &size, sizeof size);
    const fs::path path = folder_ / "huge.safetensors";
    write_file(path, start + header);
    fs::resize_file(path, start.size() + header.size() + bytes);
    return path;
  }

  TemporaryFolder folder_;
};

TEST_F(ChangedFiles, EndInOneMessage) {
  for (const char* command : {"inspect --stats", "inspect --json --stats"}) {
    const fs::path path = huge_file();
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      fs::resize_file(path, 4096);
    });
    const Result result = run(cat(command, " ", path.string()), "timeout 60");
    other.join();
    EXPECT_EQ(result.exit_code, 3) << command;
    EXPECT_EQ(result.out, "") << command;
    EXPECT_EQ(result.err,
              cat("voxport: '", path.string(), "' became shorter while it was being read\n"));
  }
}

}  // namespace
}  // namespace voxport::changed_files_test
