// What is installed beside the program comes before what the system has.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace voxport::installed_test {
namespace {

namespace fs = std::filesystem;

TEST(Installed, EspeakComesBeforeTheOneOnThePath) {
  const TemporaryFolder folder;
  const fs::path root = folder / "root";
  fs::create_directories(root / "bin");
  fs::create_directories(root / "lib/voxport/espeak-ng");
  fs::copy_file(VOXPORT_PROGRAM, root / "bin/voxport");
  const fs::path espeak = root / "lib/voxport/espeak-ng/espeak-ng";
  write_file(espeak, "#!/bin/sh\necho 'this one is beside it' >&2\nexit 1\n");
  fs::permissions(espeak, fs::perms::owner_all);

  const std::string voice = folder / "voice";
  export_voice("'" VOXPORT_VOICES "/slt-x_low.ckpt' '" + voice + "'");
  const std::string speak = "speak '" + voice + "' hello --print-ids ";
  const Result result = run_program((root / "bin/voxport").string(), speak);
  EXPECT_TRUE(contains(result.err, "this one is beside it")) << result.err;
  EXPECT_EQ(result.exit_code, 3);

  const Result chosen =
      run_program((root / "bin/voxport").string(), speak + "--espeak /nonexistent/espeak-ng");
  EXPECT_TRUE(contains(chosen.err, "'/nonexistent/espeak-ng', which is not installed"))
      << chosen.err;
}

}  // namespace
}  // namespace voxport::installed_test
