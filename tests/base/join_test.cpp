#include "base/join.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace voxport::join_test {
namespace {

const std::vector<std::string> kNames = {"a", "b", "c"};

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(join(kNames, ", "), "a, b, c");
  EXPECT_EQ(join(std::span(kNames).first(1), ", "), "a");
  EXPECT_EQ(join(std::span(kNames).first(0), ", "), "");
}

TEST(Join, CountsEmptyItems) {
  EXPECT_EQ(join(std::vector<std::string>{"", "b", ""}, ", "), ", b, ");
}

TEST(Join, TakesNumbers) { EXPECT_EQ(join(std::vector<std::int64_t>{-1, 2, 30}, "x"), "-1x2x30"); }

TEST(Join, TakesAFunctionOrAMember) {
  EXPECT_EQ(join(kNames, " ", [](const std::string& name) { return in_quotes(name); }),
            "'a' 'b' 'c'");
  EXPECT_EQ(join(kNames, " ", &std::string::size), "1 1 1");
  const std::map<std::string, int> sizes = {{"s", 1}, {"t", 2}};
  EXPECT_EQ(join(sizes, ", ", [](const auto& size) { return cat(size.first, " = ", size.second); }),
            "s = 1, t = 2");
  EXPECT_EQ(join(sizes, ", ", &std::pair<const std::string, int>::first), "s, t");
}

}  // namespace
}  // namespace voxport::join_test
