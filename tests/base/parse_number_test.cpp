#include "base/parse_number.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace voxport::parse_number_test {
namespace {

TEST(ParseNumber, ReadsTheWholeText) {
  EXPECT_EQ(parse_number<int>("12"), 12);
  EXPECT_EQ(parse_number<int>("-3"), -3);
  EXPECT_EQ(parse_number<int>("007"), 7);
  EXPECT_EQ(parse_number<double>("1.5e-3"), 1.5e-3);
  EXPECT_EQ(parse_number<double>("-.5"), -.5);
}

TEST(ParseNumber, ReadsNothingElse) {
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1\n", "1.0", "1e3", "0x1f", "1,000", "one"})
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  for (const char* text : {"", "-", "+1.5", " 1.5", "1.5 ", "0x1p3", "1,5", "--1", "1.5.2", "e5"})
    EXPECT_EQ(parse_number<double>(text), std::nullopt) << text;
}

TEST(ParseNumber, DoesNotReadPastTheEnd) {
  EXPECT_EQ(parse_number<int>(std::string_view("1234").substr(1, 2)), 23);
}

TEST(ParseNumber, ReadsNoNumberThatDoesNotFit) {
  EXPECT_EQ(parse_number<std::int64_t>("9223372036854775807"),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_number<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_number<std::int64_t>("-9223372036854775809"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_number<std::uint64_t>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e999"), std::nullopt);
}

TEST(ParseNumber, ReadsOtherBases) {
  EXPECT_EQ(parse_number<std::uint32_t>("00fF", 16), 255U);
  EXPECT_EQ(parse_number<std::uint32_t>("00fg", 16), std::nullopt);
  EXPECT_EQ(parse_number<std::uint32_t>("8", 8), std::nullopt);
}

TEST(ParseNumber, ReadsInfinityAndNanAsFloats) {
  EXPECT_EQ(parse_number<double>("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number<double>("Infinity"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_number<double>("NaN").value()));
  EXPECT_EQ(parse_number<int>("inf"), std::nullopt);
}

TEST(TakeNumber, LeavesWhatFollows) {
  std::string_view rest = "12*t";
  EXPECT_EQ(take_number<std::int64_t>(rest), 12);
  EXPECT_EQ(rest, "*t");
}

TEST(TakeNumber, TakesNothingWhereThereIsNone) {
  std::string_view rest = "*12";
  EXPECT_EQ(take_number<std::int64_t>(rest), std::nullopt);
  EXPECT_EQ(rest, "*12");
  rest = "99999999999999999999 t";
  EXPECT_EQ(take_number<std::int64_t>(rest), std::nullopt);
  EXPECT_EQ(rest, "99999999999999999999 t") << "too large";
}

}  // namespace
}  // namespace voxport::parse_number_test
