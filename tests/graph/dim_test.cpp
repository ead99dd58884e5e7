#include "graph/dim.h"

#include <gtest/gtest.h>

#include "tests/data.h"

namespace voxport::dim_test {
namespace {

const Dim t = Dim::symbol("t");
const Dim frames = Dim::symbol("frames");

TEST(Dim, HasOneNormalForm) {
  EXPECT_EQ(t + t + 1, Dim(1) + Dim(2) * t);
  EXPECT_EQ((t + 1) * (t - 1), t * t - 1);
  EXPECT_EQ(t - t, Dim(0));
  EXPECT_NE(t, frames);
}

TEST(Dim, PrintsTheConstantLast) {
  EXPECT_EQ((Dim(1) + Dim(2) * t).text(), "2*t + 1");
  EXPECT_EQ((frames * 256).text(), "256*frames");
  EXPECT_EQ((Dim(0) - t + 3).text(), "-t + 3");
  EXPECT_EQ(Dim(0).text(), "0");
  EXPECT_EQ(floor_div(t + 1, 2).text(), "floor((t + 1)/2)");
}

TEST(Dim, DividesWhatItCan) {
  EXPECT_EQ(floor_div(frames * 256, 256), frames);
  EXPECT_EQ(floor_div(t * 4 + 5, 2), t * 2 + 2);
  EXPECT_EQ(floor_div(t * frames, frames), t);
  EXPECT_EQ(floor_div(Dim(-7), 2), Dim(-4));
  EXPECT_EQ(max(Dim(0) - floor_div(t, -2), Dim(0)).text(), "floor((t + 1)/2)");
  EXPECT_EQ(ceil_div(Dim(7), 2), Dim(4));
  EXPECT_EQ(message_of([] { floor_div(t, 0); }), "a size is divided by 0");
}

TEST(Dim, ComparesWhatDiffersByANumber) {
  EXPECT_EQ(max(t, t + 1), t + 1);
  EXPECT_EQ(min(t, t + 1), t);
  EXPECT_EQ(max(t, 9), max(Dim(9), t));
}

TEST(Dim, ComparesWhatSizesOfOneAndMoreDecide) {
  EXPECT_EQ(max(t, 1), t);
  EXPECT_EQ(min(t, t * 2 - 1), t);
  EXPECT_EQ(max(t, t + frames), t + frames);
}

TEST(Dim, KnowsThatTheLeastOfTwoIsNoMoreThanEither) {
  EXPECT_EQ(max(t, min(t, frames)), t);
  EXPECT_EQ(min(min(t, frames), t), min(t, frames));
  EXPECT_EQ(min(t, max(frames, t)), t);
}

// Every expression, at many sizes, against the arithmetic it stands for.
TEST(Dim, EvaluatesToWhatItSays) {
  for (std::int64_t size = -9; size < 40; ++size) {
    const auto value = [&](const Dim& dim) {
      return dim.evaluate([&](std::string_view) { return std::optional(size); });
    };
    for (const std::int64_t by : {1, 2, 3, 5, 7}) {
      for (const std::int64_t shift : {-4, -1, 0, 1, 6}) {
        const std::int64_t number = 3 * size + shift;
        const std::int64_t floor = (number - ((number % by) + by) % by) / by;
        EXPECT_EQ(value(floor_div(t * 3 + shift, by)), floor);
        EXPECT_EQ(value(ceil_div(t * 3 + shift, by)), floor + (number % by != 0 ? 1 : 0));
        if (size > 0) {  // what sizes decide
          EXPECT_EQ(value(max(t * 3 + shift, t * 2)), std::max(number, 2 * size));
          EXPECT_EQ(value(min(t * 3 + shift, t * 2)), std::min(number, 2 * size));
        }
      }
    }
  }
}

TEST(Dim, DecidesExtremesOfHalvesAndExtremes) {
  EXPECT_EQ(min(floor_div(t, 2), t), floor_div(t, 2));
  EXPECT_EQ(max(ceil_div(t, 3), t), t);
  EXPECT_EQ(min(floor_div(t * 3 + 1, 2), t * 2), floor_div(t * 3 + 1, 2));
  EXPECT_EQ(max(t, min(t, frames)), t);
  EXPECT_EQ(min(t, max(t - 2, Dim(0)) + 2), t);
  EXPECT_EQ(max(t + 1, min(t, frames) + 1), t + 1);
  EXPECT_EQ(min(floor_div(t, 2), t - 1), floor_div(t, 2));
  EXPECT_EQ(min(floor_div(t, 2), t - 2).text(), "min(floor(t/2) + 2, t) - 2");
}

TEST(Dim, IsReadBackAsItWasPrinted) {
  for (const Dim& dim :
       {t * 2 + 1, floor_div(t + 3, 2), max(t, Dim(1)) * 4, ceil_div(t * frames, 8),
        Dim(0) - t * frames, min(frames, t - 2), floor_div(frames, t * 2)})
    EXPECT_EQ(Dim::parse(dim.text()), dim) << dim.text();
}

TEST(Dim, RefusesWhatIsNoExpression) {
  EXPECT_EQ(message_of([] { Dim::parse("2*"); }), "the size '2*' is no expression at its end");
  EXPECT_EQ(message_of([] { Dim::parse("a b"); }), "the size 'a b' is no expression at 'b'");
  EXPECT_EQ(message_of([] { Dim::parse(std::string(100, '(')); }).substr(0, 10), "the size '");
  for (const char* text : {"", "2*", "a b", "min(a", "floor(a/", "floor(a", "99999999999999999999"})
    EXPECT_EQ(Dim::try_parse(text), std::nullopt) << text;
  EXPECT_EQ(Dim::try_parse("2*t + 1"), Dim(2) * Dim::symbol("t") + 1);
}

TEST(Dim, SubstitutesASymbolEverywhere) {
  EXPECT_EQ(floor_div(t + 1, 2).substitute("t", frames * 2), frames);
  EXPECT_EQ((t * t).substitute("t", 3), Dim(9));
}

TEST(Dim, RefusesSizesBeyondSixtyThreeBits) {
  EXPECT_EQ(message_of([] { Dim(INT64_MAX) * t + t; }), "a size has more than 63 bits");
}

TEST(Dim, DividesTheMostNegativeNumber) {
  EXPECT_EQ(message_of([] { floor_div(Dim(INT64_MIN), -1); }), "a size has more than 63 bits");
  EXPECT_EQ(message_of([&] { floor_div(Dim(INT64_MIN) * t, -1); }), "a size has more than 63 bits");
  EXPECT_EQ(floor_div(Dim(INT64_MIN) * t + 1, 3).text(),
            "floor((t + 1)/3) - 3074457345618258603*t");
}

TEST(Dim, AddsExtremesOfTheMostNegativeNumber) {
  const Dim both = Dim(INT64_MIN) * min(t, frames) + Dim(INT64_MIN) * max(t, frames);
  EXPECT_EQ(both.symbols(), (std::vector<std::string>{"frames", "t"}));
}

}  // namespace
}  // namespace voxport::dim_test
