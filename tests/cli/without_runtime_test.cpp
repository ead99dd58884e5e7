// The program as it is built where ONNX Runtime cannot be had.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace voxport::without_runtime_test {
namespace {

Result run_without(const std::string& arguments) {
  return run_program(VOXPORT_WITHOUT_RUNTIME, arguments);
}

void expect_unavailable(const std::string& arguments) {
  const Result result = run_without(arguments);
  EXPECT_EQ(result.exit_code, 4) << arguments;
  EXPECT_TRUE(contains(result.err,
                       "this voxport cannot run models: it was built without ONNX "
                       "Runtime's headers (run tools/onnxruntime in its sources, and "
                       "build it again)"))
      << result.err;
}

TEST(WithoutRuntime, WhatRunsNothingWorks) {
  const Result inspected = run_without("inspect '" + data("voices/single.ckpt") + "'");
  EXPECT_EQ(inspected.exit_code, 0) << inspected.err;
  EXPECT_EQ(inspected.out, run("inspect '" + data("voices/single.ckpt") + "'").out);
  EXPECT_EQ(run_without("inspect --scan '" + data("voices/single.ckpt") + "'").exit_code, 0);
}

TEST(WithoutRuntime, ExportsTheSameFilesAndSaysThatTheyWereNotRun) {
  const TemporaryFolder folder;
  const std::string checkpoint = "export '" + data("voices/single.ckpt") + "' ";
  const Result without = run_without(checkpoint + "'" + (folder / "without").string() + "'");
  EXPECT_EQ(without.exit_code, 0) << without.err;
  EXPECT_TRUE(
      contains(without.out + without.err, "the graphs were not run: ONNX Runtime is not installed"))
      << without.out << without.err;
  EXPECT_EQ(run(checkpoint + "'" + (folder / "with").string() + "'").exit_code, 0);
  for (const char* name : {"encoder.onnx", "decoder.onnx", "decoder_stream.onnx", "voice.json"})
    EXPECT_TRUE(contents(folder / "with" / name) == contents(folder / "without" / name)) << name;
}

TEST(WithoutRuntime, WhatRunsModelsSaysWhatIsMissing) {
  const TemporaryFolder folder;
  const std::string voice = folder / "voice";
  EXPECT_EQ(run_without("export '" + data("voices/single.ckpt") + "' '" + voice + "'").exit_code,
            0);
  expect_unavailable("check '" + voice + "/decoder.onnx'");
  expect_unavailable("speak '" + voice + "' --ids '1 2 3' -o '" + (folder / "it.wav").string() +
                     "'");
  expect_unavailable("bench '" + voice + "'");
  EXPECT_FALSE(std::filesystem::exists(folder / "it.wav"));
}

}  // namespace
}  // namespace voxport::without_runtime_test
