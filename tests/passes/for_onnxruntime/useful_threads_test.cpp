// As many threads as convolutions have parts.
#include "passes/for_onnxruntime/useful_threads.h"

#include <gtest/gtest.h>

#include "graph/print.h"

namespace voxport::useful_threads_test {
namespace {

std::int64_t threads_of(const std::string& text) { return useful_threads(*parse_graph(text)); }

TEST(UsefulThreads, AreAsManyAsRowsAndBlocksOfChannels) {
  EXPECT_EQ(threads_of("x: f32[b, 32, 1, t]\nw: f32[32, 32, 1, 3] = const\n"
                       "y = Conv(x, w) pads=[0, 1, 0, 1]\nreturn y"),
            1)
      << "one row of half a block";
  EXPECT_EQ(threads_of("x: f32[b, 32, 4, t]\nw: f32[32, 32, 1, 3] = const\n"
                       "y = Conv(x, w) pads=[0, 1, 0, 1]\nreturn y"),
            4);
  EXPECT_EQ(threads_of("x: f32[b, 32, 2, t]\nw: f32[256, 32, 1, 3] = const\n"
                       "y = Conv(x, w) pads=[0, 1, 0, 1]\nreturn y"),
            8);
  EXPECT_EQ(threads_of("x: f32[b, 128, 1, t]\nw: f32[512, 16, 1, 3] = const\n"
                       "y = Conv(x, w) pads=[0, 1, 0, 1] group=8\nreturn y"),
            8)
      << "a group of one block each";
  EXPECT_EQ(threads_of("x: f32[b, 128, 1, t]\nw: f32[128, 1, 1, 3] = const\n"
                       "y = Conv(x, w) pads=[0, 1, 0, 1] group=128\nreturn y"),
            2)
      << "channels by themselves come in blocks, too";
}

TEST(UsefulThreads, AreThoseOfMostOfTheWork) {
  const auto both = [](const std::string& narrow) {
    return threads_of("x: f32[b, 256, 1, t]\nz: f32[b, 32, 1, " + narrow +
                      "]\nw: f32[256, 256, 1, 3] = const\nv: f32[32, 32, 1, 3] = const\n"
                      "y = Conv(x, w) pads=[0, 1, 0, 1]\nu = Conv(z, v) pads=[0, 1, 0, 1]\n"
                      "return y, u");
  };
  EXPECT_EQ(both("t"), 4);
  EXPECT_EQ(both("256*t"), 1) << "four times the work in one part";
}

TEST(UsefulThreads, AreNotToldWithoutConvolutionsOfRows) {
  EXPECT_EQ(threads_of("x: f32[b, t]\ny = Relu(x)\nreturn y"), 0);
  EXPECT_EQ(threads_of("x: f32[b, 32, t]\nw: f32[32, 32, 3] = const\ny = Conv(x, w)\nreturn y"), 0)
      << "which ONNX Runtime shares out along time";
}

}  // namespace
}  // namespace voxport::useful_threads_test
