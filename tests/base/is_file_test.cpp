#include "base/is_file.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace voxport::is_file_test {
namespace {

TEST(IsFile, SaysWhatCanBeReadAsAFile) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "a";
  const std::filesystem::path link = folder.path() / "link";
  std::ofstream(file) << "a";
  std::filesystem::create_symlink(file, link);
  EXPECT_TRUE(is_file(file));
  EXPECT_TRUE(is_file(link));
  EXPECT_FALSE(is_file(folder.path()));
  EXPECT_FALSE(is_file(folder.path() / "b"));
  EXPECT_FALSE(is_file(file / "b"));
}

TEST(IsFile, SaysNoOfANameThatIsTooLong) { EXPECT_FALSE(is_file(std::string(5000, 'a'))); }

}  // namespace
}  // namespace voxport::is_file_test
