#include "base/text.h"

#include <gtest/gtest.h>

#include "base/printable.h"

namespace voxport::text_test {
namespace {

TEST(Text, ShowsNoControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a\\x1b[31mb\\x0a");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "C1 controls act like escapes";
  EXPECT_EQ(printable("\u202egnp.exe"), "\\xe2\\x80\\xaegnp.exe") << "writing turned around";
}

// Each of these acts on the text around it, or hides in it.
TEST(Text, ShowsNothingThatCannotBeSeen) {
  for (const std::uint32_t code :
       {0x7fU,   0x80U,   0x9fU,    0xadU,    0x34fU,   0x61cU,   0x115fU,  0x180eU,
        0x200bU, 0x200dU, 0x200fU,  0x2028U,  0x2029U,  0x202aU,  0x202eU,  0x2060U,
        0x2066U, 0x2069U, 0x206fU,  0x3164U,  0xfdd0U,  0xfe0fU,  0xfeffU,  0xfff9U,
        0xfffbU, 0xffffU, 0x1d173U, 0xe0001U, 0xe007fU, 0xe01efU, 0x1fffeU, 0x10ffffU}) {
    std::string text;
    append_utf8(text, code);
    const std::string shown = printable("a" + text + "b");
    EXPECT_EQ(shown.size(), 2 + 4 * text.size()) << std::hex << code;
    EXPECT_EQ(shown.find(text), std::string::npos) << std::hex << code;
  }
  EXPECT_EQ(printable("\u2028"), "\\xe2\\x80\\xa8");
  for (const char* seen : {" ~", "\u00a0\u00ac\u00ae", "\u2010\u2027", "\u202f\u205f", "\u2070",
                           "\ufdcf\ufdf0\ufdff", "\ufe10", "\ufffc\ufffd", "\U0001f600", "\ue000"})
    EXPECT_EQ(printable(seen), seen);
}

TEST(Text, KeepsTheLinesOfAMessage) {
  EXPECT_EQ(printable_lines("a\x1b\n  b\u2028\n"), "a\\x1b\n  b\\xe2\\x80\\xa8\n");
  EXPECT_EQ(printable_lines(std::string(1000, 'a')), std::string(1000, 'a'));
}

TEST(Text, EscapesInJsonWhatCannotBeSeen) {
  EXPECT_EQ(printable_json("{\"a\\n\u2028\": \"\u00e9\u202e\xc2\x9b\x7f\"}\n"),
            "{\"a\\n\\u2028\": \"\u00e9\\u202e\\u009b\\u007f\"}\n");
  EXPECT_EQ(printable_json("\U000e0041\U0001f600"), "\\udb40\\udc41\U0001f600");
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
}  // namespace voxport::text_test
