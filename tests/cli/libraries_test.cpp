// Which shared libraries a start of the program loads.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace voxport::libraries_test {
namespace {

// The files that the loader opened for the program.
std::string libraries_of(const std::string& arguments) {
  const Result result = run(arguments, "LD_DEBUG=files");
  EXPECT_EQ(result.exit_code, 0) << arguments;
  EXPECT_TRUE(contains(result.err, "file=libz.so.1")) << "the loader does not tell";
  return result.err;
}

TEST(Libraries, AreNotLoadedForCommandsThatDoWithoutThem) {
  const std::string checkpoint = "'" + data("voices/single.ckpt") + "'";
  const std::string model = "'" + data("onnx/full.onnx") + "'";
  for (const std::string& arguments :
       {std::string("--version"), std::string("export --help"), "inspect " + checkpoint,
        "inspect --scan " + checkpoint, "inspect " + model, "inspect --json " + model}) {
    const std::string loaded = libraries_of(arguments);
    for (const char* library :
         {"libonnx", "libprotobuf", "voxport-onnx", "onnxruntime", "FLAC", "opus", "mp3lame"})
      EXPECT_FALSE(contains(loaded, library)) << arguments << " loads " << library;
  }
}

TEST(Libraries, OfOnnxAreLoadedForAnExport) {
  const TemporaryFolder folder;
  const std::string loaded = libraries_of("export --no-check '" + data("voices/single.ckpt") +
                                          "' '" + (folder / "voice").string() + "'");
  EXPECT_TRUE(contains(loaded, "voxport-onnx.so"));
  EXPECT_TRUE(contains(loaded, "libonnx.so"));
  EXPECT_FALSE(contains(loaded, "onnxruntime"));
}

TEST(Libraries, ThatAreMissingAreNamed) {
  const TemporaryFolder folder;
  const std::string alone = folder / "voxport";
  std::filesystem::copy_file(VOXPORT_PROGRAM, alone);
  const Result inspected = run_program(alone, "inspect '" + data("voices/single.ckpt") + "'");
  EXPECT_EQ(inspected.exit_code, 0) << inspected.err;
  const std::string voice = folder / "voice";
  const Result exported =
      run_program(alone, "export --no-check '" + data("voices/single.ckpt") + "' '" + voice + "'");
  EXPECT_EQ(exported.exit_code, 4);
  EXPECT_TRUE(contains(exported.err,
                       "there is no voxport-onnx.so, which checks models by ONNX's own library"))
      << exported.err;
  EXPECT_TRUE(contains(exported.err, folder / "voxport-onnx.so")) << exported.err;
  EXPECT_FALSE(std::filesystem::exists(voice));
}

}  // namespace
}  // namespace voxport::libraries_test
