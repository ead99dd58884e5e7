#include "base/trimmed.h"

#include <string>

#include <gtest/gtest.h>

namespace voxport::trimmed_test {
namespace {

TEST(Trimmed, TakesBlanksOffBothEnds) {
  EXPECT_EQ(trimmed("  a b "), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed("   "), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(std::string(" a ")).size(), 1U);
}

TEST(Trimmed, TakesOnlyWhatIsBlankToTheCaller) {
  EXPECT_EQ(trimmed("\t a\n"), "\t a\n");
  EXPECT_EQ(trimmed("\t a\r\n", " \t\r\n"), "a");
}

TEST(Trimmed, TakesCharactersOfAnyKind) {
  const auto is_dot = [](char32_t c) { return c == U'.' || c == U'\u2026'; };
  EXPECT_EQ(trimmed(std::u32string_view(U".\u2026a.b\u2026"), is_dot), U"a.b");
}

TEST(TrimmedEnd, KeepsTheStart) {
  EXPECT_EQ(trimmed_end("  a  "), "  a");
  EXPECT_EQ(trimmed_end("\r3\r\n", "\r\n"), "\r3");
  EXPECT_EQ(trimmed_end("  "), "");
}

}  // namespace
}  // namespace voxport::trimmed_test
