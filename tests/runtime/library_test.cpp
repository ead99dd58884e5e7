#include "runtime/library.h"

#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include "tests/data.h"
#include "tests/needs_runtime.h"

namespace voxport::library_test {
namespace {

// The library is looked for once, so that each choice has a process of its own, which prints what
// runtime_version() says to it.
[[noreturn]] void choose(const std::filesystem::path& library) {
  setenv("VOXPORT_ONNXRUNTIME", library.c_str(), 1);
  std::cerr << message_of([] { runtime_version(); });
  std::_Exit(0);
}

void expect_message(const std::filesystem::path& choice, const std::string& message) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(choose(choice), testing::ExitedWithCode(0), "^(.*built without.*|" + message + ")$");
}

TEST(FindRuntime, TellsItsVersionAndPath) {
  NEEDS_RUNTIME();
  EXPECT_TRUE(runtime_version().starts_with("1.")) << runtime_version();
  EXPECT_NE(runtime_path().filename().string().find("libonnxruntime"), std::string::npos);
}

TEST(FindRuntime, SaysHowToGetItWhereThereIsNone) {
  expect_message("/nonexistent/library",
                 "there is no ONNX Runtime to run models with: run tools/onnxruntime in voxport's "
                 "sources, or set VOXPORT_ONNXRUNTIME to a "
                 "libonnxruntime.so\n  tried    /nonexistent/library");
}

TEST(FindRuntime, SaysWhyAFileIsRefused) {
  expect_message(data_folder() / "onnx/full.onnx",
                 "there is no ONNX Runtime .*\n  rejected .*full.onnx: invalid ELF header\n"
                 "  tried    .*full.onnx");
}

TEST(FindRuntime, RefusesAnotherLibrary) {
  expect_message("libz.so.1",
                 "what was loaded as ONNX Runtime is another library: .*OrtGetApiBase");
}

}  // namespace
}  // namespace voxport::library_test
