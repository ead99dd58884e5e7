// Dim's algebra against integers: what is simplified must have the same value at all sizes.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "graph/dim.h"

namespace voxport::dim_algebra_test {
namespace {

const Dim t = Dim::symbol("t");
const Dim n = Dim::symbol("n");

using Values = std::array<std::int64_t, 3>;  // of the symbols a, b and c

// An expression as it was written, which computes its value with integers alone.
struct Expression {
  std::function<std::optional<std::int64_t>(const Values&)> value;
  Dim dim;
  std::string text;
};

std::int64_t floored(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

Expression symbol(std::size_t i) {
  const std::string name(1, static_cast<char>('a' + i));
  return {[i](const Values& values) { return std::optional(values[i]); }, Dim::symbol(name), name};
}

Expression number(std::int64_t value) {
  return {[value](const Values&) { return std::optional(value); }, value, std::to_string(value)};
}

template <class Compute>
Expression combined(const Expression& x, const Expression& y, const Dim& dim, const std::string& op,
                    Compute compute) {
  return {[x, y, compute](const Values& values) -> std::optional<std::int64_t> {
            const auto a = x.value(values);
            const auto b = y.value(values);
            return a && b ? compute(*a, *b) : std::nullopt;
          },
          dim, "(" + x.text + " " + op + " " + y.text + ")"};
}

using Maybe = std::optional<std::int64_t>;

Expression divided(const Expression& x, const Expression& y) {
  return combined(x, y, floor_div(x.dim, y.dim), "//", [](std::int64_t a, std::int64_t b) {
    return b == 0 ? Maybe() : Maybe(floored(a, b));
  });
}

Expression rest(const Expression& x, const Expression& y) {
  return combined(x, y, x.dim - floor_div(x.dim, y.dim) * y.dim, "%",
                  [](std::int64_t a, std::int64_t b) {
                    return b == 0 ? Maybe() : Maybe(a - floored(a, b) * b);
                  });
}

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  Expression make(int depth) {
    if (depth == 0 || between(0, 9) == 0)
      return between(0, 3) == 0 ? number(between(-9, 9))
                                : symbol(static_cast<std::size_t>(between(0, 2)));
    const Expression x = make(depth - 1);
    const std::int64_t op = between(0, 9);
    if (op < 3) return divided(x, divisor());
    if (op == 3) return rest(x, divisor());
    if (op == 4) return times(x, number(between(-4, 8)));
    const Expression y = make(depth - 1);
    if (op == 5) return extreme(x, y, true);
    if (op == 6) return extreme(x, y, false);
    if (op == 7)
      return combined(x, y, x.dim - y.dim, "-",
                      [](std::int64_t a, std::int64_t b) { return Maybe(a - b); });
    return combined(x, y, x.dim + y.dim, "+",
                    [](std::int64_t a, std::int64_t b) { return Maybe(a + b); });
  }

 private:
  static Expression times(const Expression& x, const Expression& y) {
    return combined(x, y, x.dim * y.dim, "*",
                    [](std::int64_t a, std::int64_t b) { return Maybe(a * b); });
  }

  static Expression extreme(const Expression& x, const Expression& y, bool is_min) {
    return combined(x, y, is_min ? min(x.dim, y.dim) : max(x.dim, y.dim), is_min ? "min" : "max",
                    [is_min](std::int64_t a, std::int64_t b) {
                      return Maybe(is_min ? std::min(a, b) : std::max(a, b));
                    });
  }

  // A number that is not 0, often one of those that strides are; or a symbol, or a product.
  Expression divisor() {
    const std::int64_t kind = between(0, 7);
    if (kind == 0) return symbol(static_cast<std::size_t>(between(0, 2)));
    if (kind == 1)
      return times(number(between(1, 6)), symbol(static_cast<std::size_t>(between(0, 2))));
    if (kind == 2) {
      const Expression x = symbol(static_cast<std::size_t>(between(0, 2)));
      return combined(x, number(1), x.dim + 1, "+",
                      [](std::int64_t a, std::int64_t b) { return Maybe(a + b); });
    }
    const std::int64_t value = between(-3, 12);
    return number(value == 0 ? 8 : value);
  }

  std::mt19937 random_;
};

Maybe value_at(const Dim& dim, const Values& values) {
  return dim.evaluate([&](std::string_view name) {
    return Maybe(values[static_cast<std::size_t>(name[0] - 'a')]);
  });
}

TEST(DimAlgebra, KeepsTheValuesOfRandomExpressions) {
  std::size_t simplified = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Maker maker(seed);
    const Expression made = maker.make(static_cast<int>(2 + seed % 4));
    const Dim read = Dim::parse(made.dim.text());
    for (int i = 0; i < 40; ++i) {
      const std::int64_t most = i < 20 ? 6 : 200;
      const Values values = {maker.between(1, most), maker.between(1, most),
                             maker.between(1, most)};
      const Maybe expected = made.value(values);
      if (!expected) continue;
      ASSERT_EQ(value_at(read, values), expected) << made.text << ", read as " << read.text();
      ASSERT_EQ(value_at(made.dim, values), expected)
          << made.text << " became " << made.dim.text() << " at a = " << values[0]
          << ", b = " << values[1] << ", c = " << values[2] << ", seed " << seed;
    }
    if (made.dim.text().size() < made.text.size()) ++simplified;
  }
  EXPECT_GT(simplified, 2000U);
}

TEST(DimAlgebra, TakesMultiplesOutOfFloors) {
  EXPECT_EQ(floor_div(t * n + 3 * n + t, n).text(), "floor(t/n) + t + 3");
  EXPECT_EQ(floor_div((t + 1) * (n + 2), n + 2), t + 1);
  EXPECT_EQ(floor_div((t + 1) * n + t, t + 1), n);
  EXPECT_EQ(floor_div(t * 24 + 5, 24), t);
  EXPECT_EQ(floor_div(t * 6 + 5, 9), floor_div(t * 2 + 1, 3));
  EXPECT_EQ(floor_div(t * n * 24, n * 8), t * 3);
  EXPECT_EQ(floor_div(t * n * 6 + 4 * n, n * 8), floor_div(t * 3 + 2, 4));
}

// 8*floor(24*m/(8*m)) is 24, whatever m is.
TEST(DimAlgebra, CancelsWhatBothSidesOfADivisionHave) {
  const Dim m = max(floor_div(t - 7, 8), Dim(1));
  EXPECT_EQ(floor_div(m * 24, m * 8) * 8, Dim(24));
  EXPECT_EQ(floor_div((m + 2) * 24, m * 8 + 16) * 8, Dim(24));
}

TEST(DimAlgebra, MakesOneFloorOfFloors) {
  EXPECT_EQ(floor_div(floor_div(t, 2), 3), floor_div(t, 6));
  EXPECT_EQ(floor_div(floor_div(t - 10, 5) - 2, 2) + 1, floor_div(t, 10) - 1);
  EXPECT_EQ(ceil_div(ceil_div(t, 4), 2), ceil_div(t, 8));
  EXPECT_EQ(ceil_div(t, 8), floor_div(t + 7, 8));
  EXPECT_EQ(ceil_div(t, 8).text(), "floor((t + 7)/8)");
}

TEST(DimAlgebra, KnowsTheTwoHalvesOfASize) {
  EXPECT_EQ(floor_div(t, 2) + floor_div(t + 1, 2), t);
  EXPECT_EQ(t - floor_div(t, 2), ceil_div(t, 2));
  EXPECT_EQ((t - floor_div(t, 2)).text(), "floor((t + 1)/2)");
}

TEST(DimAlgebra, RoundsUpToAMultiple) {
  const auto remainder = [](const Dim& a, const Dim& b) { return a - floor_div(a, b) * b; };
  EXPECT_EQ(t + remainder(Dim(8) - remainder(t, 8), 8), ceil_div(t, 8) * 8);
  EXPECT_EQ(t + remainder(Dim(0) - t, 8), ceil_div(t, 8) * 8);
  EXPECT_EQ(remainder(ceil_div(t, 8) * 8, 8), Dim(0));
  EXPECT_EQ(floor_div(remainder(t, 8) + 3, 16), Dim(0));
  EXPECT_EQ(max(remainder(t, 8), Dim(0)), remainder(t, 8));
  EXPECT_EQ(min(remainder(t, 8), Dim(7)), remainder(t, 8));
}

TEST(DimAlgebra, TakesWhatIsCommonOutOfExtremes) {
  EXPECT_EQ(max(t + 1, n + 1), max(t, n) + 1);
  EXPECT_EQ(max(t * 2, n * 2 + 4), max(t, n + 2) * 2);
  EXPECT_EQ(max(max(t, n), Dim(9)), max(t, max(Dim(9), n)));
  EXPECT_EQ(max(Dim(0) - t, Dim(0) - n), Dim(0) - min(t, n));
  EXPECT_EQ(max(t - 4, Dim(0)) + 4, max(t, Dim(4)));
}

TEST(DimAlgebra, AddsTheTwoPartsOfAnAxis) {
  EXPECT_EQ(min(t, Dim(4)) + max(t - 4, Dim(0)), t);
  EXPECT_EQ(min(t, n) + (t - min(t, n)), t);
  EXPECT_EQ(n * min(t, n) + n * max(t, n), n * t + n * n);
}

TEST(DimAlgebra, DecidesExtremesByBounds) {
  EXPECT_EQ(max(ceil_div(t, 8), Dim(1)), ceil_div(t, 8));
  EXPECT_EQ(max(max(t, Dim(4)) * 8, Dim(32)), max(t, Dim(4)) * 8);
  EXPECT_EQ(max(t * n, t), t * n);
  // Half of what rounds t up to a multiple of 8 is -1/2 at least, and an integer.
  const Dim half = floor_div(ceil_div(t, 8) * 8 - t, 2);
  EXPECT_EQ(max(half, Dim(0)), half);
  EXPECT_EQ(min(half, ceil_div(t, 8) * 8), half);
  EXPECT_EQ(min(floor_div(t, n), t), floor_div(t, n));
}

// A number of elements that are found may be 0, and an argument of the program any integer.
TEST(DimAlgebra, KnowsTheLeastValuesOfSymbols) {
  const Dim found = Dim::symbol("found", 0);
  const Dim given = Dim::symbol("given", std::nullopt);
  EXPECT_EQ(min(t, Dim(1)), Dim(1));
  EXPECT_EQ(max(found, Dim(0)), found);
  EXPECT_EQ(min(found, Dim(1)).text(), "min(1, found)");
  EXPECT_EQ(min(found + 1, Dim(1)), Dim(1));
  EXPECT_EQ(max(given, Dim(0)).text(), "max(0, given)");
  EXPECT_EQ(max(given * t, given).substitute("t", 1), given);
  EXPECT_EQ(min(found.substitute("t", 3), Dim(1)).text(), "min(1, found)");
}

// What may be negative is not taken for a size.
TEST(DimAlgebra, KeepsTheZeroBelowWhatMayBeNegative) {
  EXPECT_NE(max(floor_div(t - 10, 8), Dim(0)), floor_div(t - 10, 8));
  EXPECT_NE(max(min(t - 4, n), Dim(0)), min(t - 4, n));
}

}  // namespace
}  // namespace voxport::dim_algebra_test
