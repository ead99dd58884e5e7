#include "base/text.h"

#include <gtest/gtest.h>

namespace voxport {
namespace {

TEST(Text, ShowsNoControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a\\x1b[31mb\\x0a");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "C1 controls act like escapes";
  EXPECT_EQ(printable("\u202egnp.exe"), "\\xe2\\x80\\xaegnp.exe") << "writing turned around";
}

TEST(Text, KeepsWellFormedUtf8AndShowsTheRest) {
  EXPECT_EQ(printable("\u00e9\u65e5\U0001f600"), "\u00e9\u65e5\U0001f600");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
}

TEST(Text, CutsWhatIsTooLong) { EXPECT_EQ(in_quotes("abcdef", 3), "'abc...'"); }

TEST(Text, GroupsDigits) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(28536773), "28,536,773");
}

TEST(Text, RoundsBytesToAUnit) {
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.0 kB");
  EXPECT_EQ(human_bytes(999'950), "1.0 MB");
  EXPECT_EQ(human_bytes(28'536'773), "28.5 MB");
}

TEST(Text, EncodesCodePoints) {
  std::string text;
  for (const std::uint32_t code : {0x41U, 0xe9U, 0x65e5U, 0x1f600U}) append_utf8(text, code);
  EXPECT_EQ(text, "A\u00e9\u65e5\U0001f600");
}

}  // namespace
}  // namespace voxport
