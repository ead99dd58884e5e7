#include "program/sympy.h"

#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/data.h"

namespace voxport::sympy_test {
namespace {

// The size as text; "-" where a Dim cannot say it.
std::string read(std::string_view text) {
  const auto dim = parse_sympy(text);
  return dim ? dim->text() : "-";
}

// 2*s1 and so on, as PyTorch 2.6 and 2.14 write them.
TEST(Sympy, ReadsTheReprOfSizes) {
  EXPECT_EQ(read("Integer(7)"), "7");
  EXPECT_EQ(read("Symbol('s77', positive=True, integer=True)"), "s77");
  EXPECT_EQ(read("Mul(Integer(2), Symbol('s1', positive=True, integer=True))"), "2*s1");
  EXPECT_EQ(read("Add(Symbol('s0', integer=True), Integer(-1))"), "s0 - 1");
  EXPECT_EQ(read("FloorDiv(Add(Symbol('s0'), Integer(-1)), Integer(2))"), "floor((s0 + 1)/2) - 1");
  EXPECT_EQ(read("Pow(Symbol('s0'), Integer(2))"), "s0*s0");
  EXPECT_EQ(read("Max(Integer(1), Symbol('s0'), Symbol('s1'))"), "max(s0, s1)");
  EXPECT_EQ(read("Min(Integer(4), Symbol('u0', integer=True))"), "min(4, u0)");
}

TEST(Sympy, ReadsThePrintedSizesOfOldFiles) {
  EXPECT_EQ(read("s0"), "s0");
  EXPECT_EQ(read("2*s1 - 1"), "2*s1 - 1");
  EXPECT_EQ(read("(s0 - 1)//2 + 1"), "floor((s0 + 1)/2)");
  EXPECT_EQ(read("s0**2 + s0*(s1 + 3)"), "3*s0 + s0*s0 + s0*s1");
  EXPECT_EQ(read("-s0 + 2*-3"), "-s0 - 6");
  EXPECT_EQ(read("floor(s0/2)"), "floor(s0/2)");
  EXPECT_EQ(read("ceiling(s0/2)"), "floor((s0 + 1)/2)");
}

TEST(Sympy, DividesAsTheNamesSay) {
  EXPECT_EQ(read("CleanDiv(Mul(Integer(6), Symbol('s0')), Integer(3))"), "2*s0");
  EXPECT_EQ(read("Mul(Rational(1, 2), Mul(Integer(4), Symbol('s0')))"), "2*s0");
  EXPECT_EQ(read("FloorToInt(IntTrueDiv(Symbol('s0'), Integer(4)))"), "floor(s0/4)");
  EXPECT_EQ(read("Mul(Symbol('s0'), Pow(Symbol('s0'), Integer(-1)))"), "1");
  EXPECT_EQ(read("Mod(Symbol('s0'), Integer(4))"), "-4*floor(s0/4) + s0");
  EXPECT_EQ(read("7 % 4"), "3");
  EXPECT_EQ(read("-7 // 4"), "-2");
}

TEST(Sympy, SaysNothingOfWhatIsNoSize) {
  EXPECT_EQ(read("Mul(Rational(1, 2), Symbol('s0'))"), "-");
  EXPECT_EQ(read("GreaterThan(Symbol('s0'), Integer(2))"), "-");
  EXPECT_EQ(read("s0 >= 2"), "-");
  EXPECT_EQ(read("TruncToInt(Symbol('s0'))"), "-");
  EXPECT_EQ(read("Float('1.5', precision=53)"), "-");
  EXPECT_EQ(read("1.5*s0"), "-");
  EXPECT_EQ(read("Pow(Symbol('s0'), Symbol('s1'))"), "-");
  EXPECT_EQ(read("FloorDiv(Symbol('s0'), Integer(0))"), "-");
}

TEST(Sympy, DoesNotMultiplyOutATrap) {
  std::string sum = "a0";
  for (int i = 1; i < 50; ++i) sum += cat(" + a", i);
  EXPECT_EQ(read(cat("(", sum, ")**8")), "-");
  std::string nested = "s0";
  for (int i = 0; i < 60; ++i) nested = cat("Mod(", nested, ", s", i, ")");
  EXPECT_EQ(read(nested), "-");
}

TEST(Sympy, RefusesWhatIsNoExpression) {
  const auto said = [](const std::string& text) { return message_of([&] { parse_sympy(text); }); };
  EXPECT_EQ(said(""), "the size '' is no expression at its end");
  EXPECT_EQ(said("2*"), "the size '2*' is no expression at its end");
  EXPECT_EQ(said("s0 s1"), "the size 's0 s1' is no expression at 's1'");
  EXPECT_EQ(said("(s0"), "the size '(s0' is no expression at its end");
  EXPECT_EQ(said("Symbol('s0"), "the size 'Symbol('s0' is no expression at 's0'");
  EXPECT_EQ(said("Symbol('a b')"), "the size 'Symbol('a b')' is no expression at its end");
  EXPECT_EQ(said("Add()"), "in the size 'Add()', Add has 0 arguments");
  EXPECT_EQ(said("FloorDiv(s0)"),
            "in the size 'FloorDiv(s0)', FloorDiv has 1 arguments, expected 2");
  EXPECT_EQ(said("99999999999999999999"), "a size has more than 63 bits");
  EXPECT_NE(said(std::string(5000, '(')).find("is no expression at"), std::string::npos);
  EXPECT_NE(said(std::string(5000, '-')).find("is no expression at"), std::string::npos);
}

TEST(Sympy, KnowsEveryWordOfASize) {
  for (const char* size : {"2*s0 + 1", "Max(1, s0 - 3)", "Symbol('s0', positive=True)",
                           "GreaterThan(Symbol('u0'), Integer(0))", "Float('0.5', precision=53)"})
    EXPECT_TRUE(is_known_sympy(size)) << size;
  for (const char* size : {"exec('x')", "print(s0)", "s0.args", "Symbol('s0', 's1')", "Float('x')",
                           "Integer('1')", "__import__('os')", "s0[0]", "lambda: 0", ""})
    EXPECT_FALSE(is_known_sympy(size)) << size;
}

}  // namespace
}  // namespace voxport::sympy_test
