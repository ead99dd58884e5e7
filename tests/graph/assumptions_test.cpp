// What infer() takes for granted, and what it knows.
#include "graph/assumptions.h"

#include <gtest/gtest.h>

#include "graph/print.h"

namespace voxport::assumptions_test {
namespace {

// Of x: f32[b, length], from start to end along its last axis.
bool assumes(const std::string& length, const std::string& start, const std::string& end) {
  return assumes_sizes(*parse_graph("x: f32[b, " + length + "]\nfrom: i64[1] = const [" + start +
                                    "]\nto: i64[1] = const [" + end +
                                    "]\naxes: i64[1] = const [1]\n"
                                    "y = Slice(x, from, to, axes)\nreturn y"));
}

constexpr const char* kEnd = "9223372036854775807";

TEST(Assumptions, AreThatAnAxisIsLongEnoughForASlice) {
  EXPECT_TRUE(assumes("t", "-16", kEnd)) << "the last sixteen of what may be fewer";
  EXPECT_TRUE(assumes("t", "2", kEnd));
  EXPECT_TRUE(assumes("t", "0", "-2"));
  EXPECT_TRUE(assumes("t - s", "0", "-1"));
}

TEST(Assumptions, AreNoneWhereTheLeastSizeSaysIt) {
  EXPECT_FALSE(assumes("t", "1", kEnd)) << "an input's axis has one step at least";
  EXPECT_FALSE(assumes("t", "-1", kEnd));
  EXPECT_FALSE(assumes("8*t + 8", "4", "-4"));
  EXPECT_FALSE(assumes("t", "0", "512")) << "which is held to the size";
  EXPECT_FALSE(assumes("7", "2", "-1"));
  EXPECT_FALSE(assumes("t", "0", kEnd));
}

TEST(Assumptions, AreNoneWhereNoSizeThatWasTriedBreaksThem) {
  EXPECT_FALSE(assumes("8 + 8*t - 8*floor(t/2)*min(1, floor(t/224))", "4", "-4"));
  EXPECT_TRUE(assumes("8*t - 8*floor(t/2)*min(2, floor(t/1000))", "4", "-4"))
      << "from a thousand steps on";
}

TEST(Assumptions, AreThoseOfSlicesAlone) {
  EXPECT_FALSE(assumes_sizes(*parse_graph("x: f32[b, t]\ny = Relu(x)\nreturn y")));
}

}  // namespace
}  // namespace voxport::assumptions_test
