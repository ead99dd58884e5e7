#include "base/nearest.h"

#include <gtest/gtest.h>

namespace voxport::nearest_test {
namespace {

constexpr std::string_view kCommands[] = {"export", "check", "speak", "bench", "inspect"};

TEST(Nearest, IsTheWordWithTheFewestMistakes) {
  EXPECT_EQ(nearest("exprot", kCommands), "export");  // in the wrong order
  EXPECT_EQ(nearest("chek", kCommands), "check");     // missing
  EXPECT_EQ(nearest("sspeak", kCommands), "speak");   // too many
  EXPECT_EQ(nearest("banch", kCommands), "bench");    // another
  EXPECT_EQ(nearest("insepct", kCommands), "inspect");
}

TEST(Nearest, IsNothingWhereAllAreFar) {
  EXPECT_EQ(nearest("serve", kCommands), "");
  EXPECT_EQ(nearest("", kCommands), "");
  EXPECT_EQ(nearest("x", kCommands), "");
  EXPECT_EQ(nearest(std::string(1000, 'e'), kCommands), "");
}

}  // namespace
}  // namespace voxport::nearest_test
