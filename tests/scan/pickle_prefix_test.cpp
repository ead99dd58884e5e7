#include "scan/pickle_prefix.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace voxport::pickle_prefix_test {
namespace {

using namespace std::string_view_literals;

bool may_import(std::string_view text) { return pickle_may_import(as_bytes(text)); }

TEST(PicklePrefix, FollowsPythonToTheFirstImport) {
  EXPECT_TRUE(may_import("cos\nsystem\n"));
  EXPECT_TRUE(
      may_import("\x80\x02"
                 "cos\nsystem\n"));
  EXPECT_TRUE(may_import("c\xc3\xa4\nsystem\n"));
  EXPECT_TRUE(may_import("(ios\nsystem\n"));
  EXPECT_TRUE(may_import("\x80\x04\x8c\x02os\x8c\x06system\x93"));
  EXPECT_TRUE(may_import("(dp0\nS'a'\nI1_0\nsL0x10L\n0cos\n"));
  EXPECT_TRUE(may_import("N0(N0N1(lp1\n0g1\n0(tcos\n"));
  EXPECT_TRUE(
      may_import("K\x01q\x05h\x05\x86q\x00"
                 "cos\n"sv));
  EXPECT_TRUE(
      may_import("]N\x94"
                 "acos\n"));
  EXPECT_TRUE(may_import("V anything \\u at all\ncos\n"));
  EXPECT_TRUE(may_import("F1e5\nX\x02\x00\x00\x00..cos\n"sv));
}

// Python's C reader drops what is left of a frame, and reads on behind it.
TEST(PicklePrefix, DoesNotSayWhereAnOpcodeThatLeavesItsFrameEnds) {
  EXPECT_TRUE(may_import("\x95\x03\0\0\0\0\0\0\0J\1\2\3\4\x82\1V\ncos\n"sv));
  EXPECT_FALSE(may_import("\x95\x05\0\0\0\0\0\0\0J\1\2\3\4\x82\1V\ncos\n"sv));
  EXPECT_TRUE(may_import("\x95\x05\0\0\0\0\0\0\0J\1\2\3\4V\ncos\n"sv));
}

TEST(PicklePrefix, StopsWherePythonDoes) {
  EXPECT_FALSE(may_import(""));
  EXPECT_FALSE(may_import("\x08\x07\x12\x04"));
  EXPECT_FALSE(may_import("N.cos\n"));
  EXPECT_FALSE(may_import("c\x98os\nsystem\ncos\nsystem\n"));  // no UTF-8, so no name
  EXPECT_FALSE(may_import("acos\n"));                          // APPEND to nothing
  EXPECT_FALSE(
      may_import("NN\x87"
                 "cos\n"));  // a tuple of three out of two
  EXPECT_FALSE(
      may_import("h\x05"
                 "cos\n"));  // never remembered
  EXPECT_FALSE(may_import("Inumber\ncos\n"));
  EXPECT_FALSE(may_import("Stext\ncos\n"));
  EXPECT_FALSE(
      may_import("PK\n"
                 "cos\n"));
  EXPECT_FALSE(may_import("NNRcos\n"));  // None is not called
  EXPECT_FALSE(may_import("X\xff\xff\xff\x00short cos\n"sv));
  EXPECT_FALSE(
      may_import("\x80\x06"
                 "cos\n"));
  EXPECT_FALSE(may_import("\x93"));
  EXPECT_FALSE(may_import("ta cos\n"));
  EXPECT_FALSE(may_import("c\"of\":[1, 2]\nsystem\n"));
}

}  // namespace
}  // namespace voxport::pickle_prefix_test
