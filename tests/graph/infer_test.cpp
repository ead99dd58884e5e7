// What comes out of each operator, written as one would write the graph. Sizes were checked against
// PyTorch's where they are numbers, and are symbols everywhere else.
#include "graph/infer.h"

#include <gtest/gtest.h>

#include "graph/check.h"
#include "graph/print.h"
#include "tests/data.h"

namespace voxport::infer_test {
namespace {

// The type of the last value of a graph in text.
std::string type_of(const std::string& text) {
  const std::string with_return = text + "\n return y";
  const auto graph = parse_graph(with_return);
  check(*graph);
  return print(graph->outputs()[0].second.type());
}

TEST(Infer, BroadcastsLikeNumpy) {
  EXPECT_EQ(type_of("a: f32[b, 1, t] c: f32[192, 1]\n y = Add(a, c)"), "f32[b, 192, t]");
  EXPECT_EQ(type_of("a: f32[b, t] c: f32[]\n y = Less(a, c)"), "bool[b, t]");
  EXPECT_EQ(type_of("a: f32[t] c: f32[s]\n y = Add(a, c)"), "f32[max(s, t)]");
  EXPECT_EQ(message_of([] { type_of("a: f32[2] c: f32[3]\n y = Add(a, c)"); }),
            "shapes [2] and [3] do not broadcast: 2 and 3\n  while reading line 2 of a graph");
  EXPECT_EQ(message_of([] { type_of("a: f32[t] c: i64[t]\n y = Add(a, c)"); }),
            "Add 'Add': input 0 is float32, input 1 is int64; ONNX has no such pair\n"
            "  while reading line 2 of a graph");
}

TEST(Infer, SlidesConvolutions) {
  const std::string x = "x: f32[b, 192, t]\n w: f32[384, 192, 5] = const\n ";
  EXPECT_EQ(type_of(x + "y = Conv(x, w) pads=[2, 2]"), "f32[b, 384, t]");
  EXPECT_EQ(type_of(x + "y = Conv(x, w) pads=[4, 4] dilations=[2]"), "f32[b, 384, t]");
  EXPECT_EQ(type_of(x + "y = Conv(x, w)"), "f32[b, 384, t - 4]");
  EXPECT_EQ(type_of(x + "y = Conv(x, w) pads=[2, 2] strides=[2]"), "f32[b, 384, floor((t + 1)/2)]");
  EXPECT_EQ(type_of("x: f32[b, 192, t]\n w: f32[192, 1, 3] = const\n y = Conv(x, w) group=192 "
                    "pads=[9, 9] dilations=[9]"),
            "f32[b, 192, t]");
}

TEST(Infer, ResizesBySizesAndByScales) {
  const std::string x = "x: f32[b, 2, h, 5]\n none: f32[0] = const\n";
  EXPECT_EQ(type_of(x + "sizes: i64[4] = const [1, 2, 9, 7]\n y = Resize(x, none, none, sizes)"),
            "f32[1, 2, 9, 7]");
  EXPECT_EQ(type_of(x + "scales: f32[4] = const [1, 1, 2, 1.5]\n y = Resize(x, none, scales)"),
            "f32[b, 2, 2*h, 7]");
}

TEST(Infer, SamplesAtThePlacesOfAGrid) {
  EXPECT_EQ(type_of("x: f32[b, 2, h, w]\n grid: f32[b, p, 4, 2]\n y = GridSample(x, grid)"),
            "f32[b, 2, p, 4]");
}

TEST(Infer, StretchesTransposedConvolutions) {
  EXPECT_EQ(type_of("x: f32[b, 256, t]\n w: f32[256, 128, 16] = const\n "
                    "y = ConvTranspose(x, w) strides=[8] pads=[4, 4]"),
            "f32[b, 128, 8*t]");
}

TEST(Infer, FollowsSizesThroughShapeArithmetic) {
  EXPECT_EQ(type_of(R"(x: f32[b, c, t]
      s = Shape(x)
      two: i64[] = const [2]
      t = Gather(s, two)
      four: i64[] = const [4]
      n = Mul(t, four)
      zero: i64[1] = const [0]
      u = Unsqueeze(n, zero)
      first = Shape(x) start=0 end=1
      shape: i64[2] = Concat(first, u) axis=0
      z: f32[b, 4*t] = ConstantOfShape(shape)
      y = Shape(z))"),
            "i64[2]");
}

TEST(Infer, DividesNumbersAsONNXDoes) {
  EXPECT_EQ(type_of(R"(m: i64[1] = const [-7]
      two: i64[1] = const [2]
      rest = Mod(m, two)
      quotient = Div(m, two)
      size = Neg(quotient)
      shape: i64[2] = Concat(rest, size) axis=0
      y = ConstantOfShape(shape))"),
            "f32[1, 3]");
}

TEST(Infer, ReshapesWithWhatIsLeftOver) {
  const std::string x = "x: f32[b, 2, t, 96]\n ";
  EXPECT_EQ(type_of(x + "s: i64[3] = const [0, -1, 192]\n y = Reshape(x, s)"), "f32[b, t, 192]");
  EXPECT_EQ(type_of(x + "s: i64[2] = const [0, -1]\n y = Reshape(x, s)"), "f32[b, 192*t]");
  EXPECT_EQ(
      type_of("x: f32[t - floor(t/2), 2, 96]\n s: i64[2] = const [0, -1]\n y = Reshape(x, s)"),
      "f32[floor((t + 1)/2), 192]");
  EXPECT_EQ(message_of([&] { type_of("x: f32[6]\n s: i64[1] = const [7]\n y = Reshape(x, s)"); }),
            "Reshape 'Reshape': a tensor of shape [6] cannot take the shape [7]\n"
            "  while reading line 3 of a graph");
  EXPECT_EQ(message_of([&] { type_of("n: i64[1000000000]\n y = ConstantOfShape(n)"); }),
            "ConstantOfShape 'ConstantOfShape': the result would have 1000000000 axes\n"
            "  while reading line 2 of a graph");
}

TEST(Infer, CutsAndJoins) {
  const std::string x =
      "x: f32[b, 192, t]\n one: i64[1] = const [1]\n far: i64[1] = const "
      "[9223372036854775807]\n two: i64[1] = const [2]\n m: i64[1] = const [-1]\n ";
  EXPECT_EQ(type_of(x + "y = Slice(x, one, far, two)"), "f32[b, 192, t - 1]");
  EXPECT_EQ(type_of(x + "y = Slice(x, one, m, two)"), "f32[b, 192, t - 2]");
  EXPECT_EQ(type_of("n: i64[1]\n " + x + "y = Slice(x, one, far, two, n)"),
            "f32[b, 192, Slice_0_2]");
  EXPECT_EQ(type_of(x + "z = Slice(x, one, far, two)\n y = Concat(x, z) axis=2"),
            "f32[b, 192, 2*t - 1]");
  EXPECT_EQ(type_of(x + "y, z = Split(x) axis=1"), "f32[b, 96, t]");
}

TEST(Infer, MultipliesMatrices) {
  EXPECT_EQ(type_of("a: f32[b, 2, t, 96] c: f32[b, 2, 96, t]\n y = MatMul(a, c)"),
            "f32[b, 2, t, t]");
  EXPECT_EQ(type_of("a: f32[b, t, 96]\n w: f32[96, 288] = const\n y = MatMul(a, w)"),
            "f32[b, t, 288]");
  EXPECT_EQ(
      message_of([] { type_of("a: f32[3, 4] c: f32[5, 6]\n y = MatMul(a, c)"); }).substr(0, 40),
      "MatMul 'MatMul': the inner sizes: 4 and ");
}

TEST(Infer, ReducesAndGathers) {
  EXPECT_EQ(type_of("x: f32[b, t, 10]\n s = Shape(x)\n n = ReduceSum(s)\n y = ConstantOfShape(n)"),
            "f32[b + t + 10]")
      << "a sum of sizes is a size";
  EXPECT_EQ(type_of("x: f32[b, t, 10]\n a: i64[1] = const [-1]\n y = ReduceSum(x, a) keepdims=0"),
            "f32[b, t]");
  EXPECT_EQ(type_of("x: i64[b, t]\n w: f32[256, 96] = const\n y = Gather(w, x)"), "f32[b, t, 96]");
  EXPECT_EQ(type_of("x: f32[b, t]\n y = ArgMax(x) axis=1 keepdims=0"), "i64[b]");
  EXPECT_EQ(type_of("x: f32[b, t]\n y = Transpose(x) perm=[1, 0]"), "f32[t, b]");
}

// A size that only the run can tell is a new symbol, the same wherever the value is used.
TEST(Infer, GivesUnknownSizesNamesOfTheirOwn) {
  EXPECT_EQ(type_of("x: f32[b, t]\n y = NonZero(x)"), "i64[2, NonZero_0_1]");
  EXPECT_EQ(type_of("x: f32[b, t]\n z = NonZero(x)\n y = NonZero(x)"), "i64[2, NonZero_1_0_1]");
  EXPECT_EQ(type_of("n: i64[] \n zero: i64[] = const [0]\n one: i64[] = const [1]\n"
                    "r = Range(zero, n, one)\n y = Add(r, r)"),
            "i64[Range_0_0]");
}

TEST(Infer, SaysWhenItDoesNotKnow) {
  EXPECT_FALSE(is_inferable("Whirl"));
  EXPECT_EQ(message_of([] { type_of("x: f32[b]\n y = Whirl(x)"); }),
            "the shape of Whirl is not known\n  while reading line 2 of a graph");
}

// Numbers that no network has, but a file may.
TEST(Infer, IsNotLedAstrayByStrangeNumbers) {
  EXPECT_EQ(type_of("l: i64[2] = const [3, 4]\n s: i64[1] = const [-9]\n e: i64[1] = const [9]\n"
                    " y = Slice(l, s, e)"),
            "i64[2]")
      << "a start before the beginning is the beginning";
  const std::string mismatch = "no error";
  EXPECT_NE(message_of([] {
              type_of(
                  "x: f32[2, 3]\n i: i64[1, 2] = const [0, 0]\n"
                  " y = GatherND(x, i) batch_dims=-1");
            }),
            mismatch);
  EXPECT_NE(message_of([] {
              type_of(
                  "x: f32[1, 1, t]\n w: f32[1, 1, 3] = const\n"
                  " y = Conv(x, w) dilations=[9223372036854775807] pads=[0, 0]");
            }),
            mismatch);
  EXPECT_NE(message_of([] {
              type_of(
                  "x: f32[1, 1, t]\n w: f32[1, 1, 3] = const\n"
                  " y = ConvTranspose(x, w) output_padding=[]");
            }),
            mismatch);
  EXPECT_EQ(type_of("a: i64[0] = const\n y = Range(a, a, a)"), "i64[Range_0_0]");
}

}  // namespace
}  // namespace voxport::infer_test
