#include "graph/print.h"

#include <gtest/gtest.h>

#include "tests/data.h"

namespace voxport::print_test {
namespace {

TEST(Print, IsReadBackAsItWasPrinted) {
  const std::string text =
      "x: f32[b, 192, t]\n"
      "lengths: i64[b]\n"
      "w: f32[192, 96, 16] = const\n"
      "half: f32[] = const [0.5]\n"
      "up: f32[b, 96, 8*t] = ConvTranspose(x, w) strides=[8] pads=[4, 4]\n"
      "l: f32[b, 48, 8*t], r: f32[b, 48, 8*t] = Split(up) axis=1\n"
      "e: f32[b, 48, 8*t] = LeakyRelu(l) alpha=0.1\n"
      "f: f32[b, 48, 8*t] = Mul(e, half)\n"
      "c: i64[b, 48, 8*t] = Cast(f) to=\"int64\"\n"
      "return audio=f, r, c\n";
  EXPECT_EQ(print(*parse_graph(text)), text);
}

TEST(Print, LeavesAbsentInputsAPlace) {
  const std::string text =
      "x: f32[t]\n"
      "high: f32[] = const [1.0]\n"
      "y: f32[t] = Clip(x, _, high)\n"
      "return y\n";
  EXPECT_EQ(print(*parse_graph(text)), text);
}

TEST(Parse, NamesTheLineThatIsWrong) {
  const auto message = [](const char* text) { return message_of([&] { parse_graph(text); }); };
  EXPECT_EQ(message("x: f32[t]\ny = Relu(z)"),
            "'z' is not defined\n  while reading line 2 of a graph");
  EXPECT_EQ(message("x: f99[t]"), "'f99' is no element type\n  while reading line 1 of a graph");
  EXPECT_EQ(message("x: f32[t]\ny: f32[s] = Relu(x)"),
            "'y' is said to be f32[s], but is f32[t]\n  while reading line 2 of a graph");
  EXPECT_EQ(message("x: f32[t]\nx: f32[t]"),
            "'x' is defined twice\n  while reading line 2 of a graph");
  EXPECT_EQ(message("c: i64[3] = const [1, 2]"),
            "a constant of shape [3] has 2 values\n  while reading line 1 of a graph");
}

}  // namespace
}  // namespace voxport::print_test
