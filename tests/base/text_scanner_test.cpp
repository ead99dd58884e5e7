#include "base/text_scanner.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace voxport::text_scanner_test {
namespace {

TEST(TextScanner, TakesPartsWithBlanksBetween) {
  TextScanner text(" max( a,12 ) ");
  EXPECT_FALSE(text.accept("min"));
  EXPECT_TRUE(text.accept("max"));
  EXPECT_TRUE(text.accept('('));
  text.skip_blanks();
  EXPECT_EQ(text.peek(), 'a');
  EXPECT_EQ(text.take_until(" ,)"), "a");
  EXPECT_TRUE(text.accept(","));
  EXPECT_EQ(text.take_number<std::int64_t>(), 12);
  EXPECT_EQ(text.rest(), " ) ");
  EXPECT_FALSE(text.at_end());
  EXPECT_TRUE(text.accept(')'));
  EXPECT_TRUE(text.at_end());
  EXPECT_EQ(text.peek(), '\0');
}

TEST(TextScanner, LeavesWhatDoesNotComeNext) {
  TextScanner text("a + b");
  EXPECT_FALSE(text.accept("a+"));
  EXPECT_EQ(text.take_number<int>(), std::nullopt);
  EXPECT_EQ(text.take_of("0123456789"), "");
  EXPECT_EQ(text.rest(), "a + b");
}

TEST(TextScanner, TakesAllWhereThereIsNoEnd) {
  TextScanner word("a b");
  EXPECT_EQ(word.take_until("="), "a b");
  EXPECT_TRUE(word.rest().empty());
  TextScanner digits("123");
  EXPECT_EQ(digits.take_of("321"), "123");
  TextScanner letters("abc1");
  EXPECT_EQ(letters.take_while([](char c) { return c >= 'a'; }), "abc");
  EXPECT_EQ(letters.take_while([](char) { return true; }), "1");
  EXPECT_EQ(letters.take_while([](char) { return true; }), "");
}

TEST(TextScanner, HasTheBlanksOfItsGrammar) {
  TextScanner text("\n a", " \n");
  EXPECT_TRUE(text.accept('a'));
  EXPECT_FALSE(TextScanner("\n a").accept('a'));
}

TEST(TextScanner, LooksAheadInACopy) {
  TextScanner text("a=1");
  TextScanner ahead = text;
  EXPECT_TRUE(ahead.accept("a="));
  EXPECT_EQ(text.rest(), "a=1");
}

}  // namespace
}  // namespace voxport::text_scanner_test
