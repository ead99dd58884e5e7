#include "runtime/elf.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/data.h"
#include "tests/temporary_folder.h"

namespace voxport::elf_test {
namespace {

bool has_one_of(const std::vector<std::string>& names, const std::string& start) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name.starts_with(start); });
}

TEST(NeededLibraries, AreThoseThatTheFileNames) {
  const std::vector<std::string> needed = needed_libraries("/proc/self/exe");
  EXPECT_TRUE(has_one_of(needed, "libstdc++.so"));
  EXPECT_FALSE(has_one_of(needed, "libonnx.so")) << "the tests of this room run nothing of it";
  // The program asks ONNX's own library through another one.
  const std::filesystem::path program = VOXPORT_PROGRAM;
  EXPECT_FALSE(has_one_of(needed_libraries(program), "libonnx.so"));
  EXPECT_TRUE(
      has_one_of(needed_libraries(program.parent_path() / "voxport-onnx.so"), "libonnx.so"));
}

TEST(NeededLibraries, AreNoneOfWhatIsNoLibrary) {
  EXPECT_TRUE(needed_libraries("/nonexistent").empty());
  EXPECT_TRUE(needed_libraries("/").empty());
  EXPECT_TRUE(needed_libraries(data_folder() / "onnx/full.onnx").empty());
}

TEST(NeededLibraries, AreThoseThatABrokenFileStillTells) {
  const TemporaryFolder folder;
  const std::string whole = contents("/proc/self/exe");
  for (const std::size_t size : {0UL, 4UL, 64UL, 100UL, 1000UL, whole.size() / 2}) {
    write_file(folder / "cut.so", whole.substr(0, size));
    needed_libraries(folder / "cut.so");
  }
  // Every number of the header and of its segments may be any.
  for (std::size_t at = 16; at < 700 && at + 8 < whole.size(); at += 2) {
    std::string broken = whole;
    broken.replace(at, 8, std::string(8, '\xff'));
    write_file(folder / "broken.so", broken);
    needed_libraries(folder / "broken.so");
  }
}

}  // namespace
}  // namespace voxport::elf_test
