#include "graph/steps.h"

#include <gtest/gtest.h>

#include "graph/print.h"

namespace voxport::steps_test {
namespace {

Steps needed_by(const char* node, std::int64_t low, std::int64_t high) {
  const auto graph = parse_graph(std::string("x: f32[b, 2, t]\nw: f32[2, 2, 5] = const\ny = ") +
                                 node + "\nreturn y");
  return steps_needed(graph->nodes().back(), {low, high});
}

TEST(Steps, OfAConvolutionLieAroundItsOutput) {
  const Steps padded = needed_by("Conv(x, w) pads=[4, 4] dilations=[2]", 0, 0);
  EXPECT_EQ(padded.low, -4);
  EXPECT_EQ(padded.high, 4);
  const Steps strided = needed_by("Conv(x, w) strides=[3]", 1, 2);
  EXPECT_EQ(strided.low, 3);
  EXPECT_EQ(strided.high, 10);
}

TEST(Steps, OfATransposedConvolutionAreThoseThatReachTheSample) {
  const Steps needed = needed_by("ConvTranspose(x, w) strides=[2] pads=[1, 1]", 0, 1);
  EXPECT_EQ(needed.low, -1);  // sample 0 is the second of step 0, and the fourth of step -1
  EXPECT_EQ(needed.high, 1);
}

}  // namespace
}  // namespace voxport::steps_test
