#include "base/checked.h"

#include <limits>

#include <gtest/gtest.h>

namespace voxport::checked_test {
namespace {

TEST(Checked, FindsTheGreatestCommonDivisorOfAllNumbers) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(checked_gcd(12, -18), 6);
  EXPECT_EQ(checked_gcd(0, 7), 7);
  EXPECT_EQ(checked_gcd(kLeast, 24), 8);
  EXPECT_EQ(checked_gcd(kLeast, 0), std::int64_t{1} << 62);
  EXPECT_EQ(checked_gcd(kLeast, kLeast), std::int64_t{1} << 62);
}

}  // namespace
}  // namespace voxport::checked_test
