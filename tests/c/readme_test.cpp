// The program in C that the README shows: it is compiled and run.
#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/letters.h"

#ifndef VOXPORT_SANITIZED  // whose runtime a program without sanitizers does not have

namespace voxport::c_readme_test {
namespace {

namespace fs = std::filesystem;

// The first block of C on the page.
std::string program_in(const fs::path& page) {
  const std::string text = contents(page), begin = "\n```c\n", end = "\n```\n";
  const std::size_t start = text.find(begin) + begin.size();
  return text.substr(start, text.find(end, start) + 1 - start);
}

TEST(ReadmeInC, Speaks) {
  const fs::path project = data_folder().parent_path().parent_path();
  const TemporaryFolder folder;
  const std::string at = folder.path().string() + "/";
  const std::string program = program_in(project / "README.md");
  EXPECT_LE(std::count(program.begin(), program.end(), '\n'), 40);
  write_file(at + "speak.c", program);
  const fs::path library = VOXPORT_LIBRARY;
  const Result compiled = run_program(
      VOXPORT_C_COMPILER, "-std=c11 -Wall -Wextra -Werror '" + at + "speak.c' -o '" + at +
                              "speak' -I '" + (project / "include").string() + "' -L '" +
                              library.parent_path().string() + "' -lvoxport");
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;

  write_file(at + "letters.json", config_of_letters());
  export_voice(data("voices/single.ckpt ") + at + "voice --config " + at + "letters.json");
  const Result spoken = run_program(at + "speak", at + "voice 'hello there'",
                                    "LD_LIBRARY_PATH='" + library.parent_path().string() + "'");
  if (contains(spoken.err, "ONNX Runtime")) GTEST_SKIP() << spoken.err;
  EXPECT_EQ(spoken.exit_code, 0) << spoken.err;
  EXPECT_TRUE(contains(spoken.err, " s  h\n")) << spoken.err;
  // The same as 16-bit numbers, in half as many bytes.
  const Result expected = run("speak " + at + "voice 'hello there' --raw");
  EXPECT_GT(expected.out.size(), 1000U);
  EXPECT_EQ(spoken.out.size(), 2 * expected.out.size());

  const Result refused = run_program(at + "speak", "/nonexistent hello",
                                     "LD_LIBRARY_PATH='" + library.parent_path().string() + "'");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(contains(refused.err, "cannot open '/nonexistent'")) << refused.err;
}

}  // namespace
}  // namespace voxport::c_readme_test

#endif
