// Numbers that are known are computed at once; what cannot be said is refused in words.
#include <gtest/gtest.h>

#include "base/text.h"
#include "lower/lower.h"
#include "program/text.h"
#include "tests/data.h"

namespace voxport::number_test {
namespace {

std::unique_ptr<Graph> lowered(const std::string& text) {
  LowerReport report;
  return lower(parse_program(text), LowerOptions(), report);
}

// The first `length` of 100 elements, where the lines tell what `length` is: the shape shows it.
std::string length_of(const std::string& lines) {
  const std::unique_ptr<Graph> graph =
      lowered(cat("x: f32[100]\nt: f32[n, 9]\n", lines,
                  "\ny = aten.slice.Tensor(x, 0, 0, length)\n", "return y"));
  return shape_text(graph->outputs()[0].second.shape());
}

std::string refusal_of(const std::string& text) {
  return message_of([&] { lowered(text); });
}

TEST(Numbers, TellWhereATextIsFound) {
  EXPECT_EQ(length_of("d = prim.device(x)\nl = aten.len(d)\na = aten.find(d, 'pu', 0, l)\n"
                      "length = aten.add(a, 2)"),
            "[3]");
  EXPECT_EQ(length_of("a = aten.find('cpu', 'cuda', 0, 3)\nlength = aten.add(a, 2)"), "[1]");
}

TEST(Numbers, AreComputedWhereTheyAreKnown) {
  EXPECT_EQ(length_of("length = prim.max(3, 5)"), "[5]");
  EXPECT_EQ(length_of("length = prim.min([7, 4, 9])"), "[4]");
  EXPECT_EQ(length_of("length = prim.abs(-6)"), "[6]");
  EXPECT_EQ(length_of("a = aten.sqrt(64)\nlength = aten.Int(a)"), "[8]");
  EXPECT_EQ(length_of("a = aten.div(7, 2)\nlength = aten.ceil(a)"), "[4]");
  EXPECT_EQ(length_of("a = aten.div(7, 2)\nlength = aten.floor(a)"), "[3]");
  EXPECT_EQ(length_of("length = aten.__round_to_zero_floordiv(7, 2)"), "[3]");
  EXPECT_EQ(length_of("length = aten.__lshift__(3, 2)"), "[12]");
  EXPECT_EQ(length_of("length = aten.__rshift__(13, 2)"), "[3]");
  EXPECT_EQ(length_of("length = aten.__and__(13, 6)"), "[4]");
  EXPECT_EQ(length_of("a, length = aten.divmod(17, 5)"), "[2]");
  EXPECT_EQ(length_of("length = aten.Int('12')"), "[12]");
  EXPECT_EQ(length_of("length = aten.pow.int_to_int(3, 3)"), "[27]");
  EXPECT_EQ(length_of("a = aten.pow(2, -1)\nb = aten.mul(a, 8)\nlength = aten.Int(b)"), "[4]");
  EXPECT_EQ(length_of("a = aten.log(1000.0, 10.0)\nb = aten.round(a)\nlength = aten.Int(b)"),
            "[3]");
}

TEST(Numbers, OfSizesStayExpressions) {
  EXPECT_EQ(length_of("a = aten.size(t, 1)\nlength = aten.__round_to_zero_floordiv(a, 2)"), "[4]");
  EXPECT_EQ(length_of("a = aten.sym_numel(t)\nb = aten.size(t, 0)\nc = aten.mul(b, 9)\n"
                      "d = aten.sub(a, c)\nlength = aten.add(d, 7)"),
            "[7]");
}

// math.ceil(t / 4) and int(t / 4), which divide floats.
TEST(Numbers, OfSizesStayExpressionsWhenAQuotientIsRounded) {
  const auto shape_after = [](const std::string& lines) {
    const std::unique_ptr<Graph> graph =
        lowered(cat("x: f32[t]\na = aten.size(x, 0)\n", lines,
                    "\ny = aten.slice.Tensor(x, 0, 0, length)\nreturn y"));
    return shape_text(graph->outputs()[0].second.shape());
  };
  EXPECT_EQ(shape_after("b = aten.div(a, 4)\nlength = aten.ceil(b)"), "[floor((t + 3)/4)]");
  EXPECT_EQ(shape_after("b = aten.div(a, 4)\nlength = aten.floor(b)"), "[floor(t/4)]");
  EXPECT_EQ(shape_after("b = aten.div(a, 4)\nlength = aten.Int(b)"), "[floor(t/4)]");
  // Rounded towards zero, what may be negative is no floor.
  EXPECT_EQ(shape_after("b = aten.sub(a, 9)\nc = aten.div(b, 4)\nd = aten.Int(c)\n"
                        "length = prim.max(d, 1)")
                .find("floor"),
            std::string::npos);
}

// What the run finds may be 0, and less than that.
TEST(Numbers, OfTheRunAreNotTakenForSizesOfOneAndMore) {
  const std::unique_ptr<Graph> graph = lowered(
      "m: i64[]\nn = aten.item(m)\na = prim.min(n, 1)\nb = prim.max(n, 0)\n"
      "length = aten.add(a, 2)\ny = aten.zeros([length, b])\nreturn y");
  EXPECT_EQ(shape_text(graph->outputs()[0].second.shape()), "[min(1, u0) + 2, max(0, u0)]");
}

// Tracing turns sizes into tensors without axes and back.
TEST(Numbers, OfSizesStayExpressionsAsTensors) {
  const auto shape_after = [](const std::string& lines) {
    const std::unique_ptr<Graph> graph =
        lowered(cat("x: f32[t]\na = aten.size(x, 0)\nb = prim.NumToTensor(a)\n", lines,
                    "\nlength = aten.Int(c)\ny = aten.slice.Tensor(x, 0, 0, length)\nreturn y"));
    return shape_text(graph->outputs()[0].second.shape());
  };
  EXPECT_EQ(shape_after("c = aten.floor_divide(b, 2)"), "[floor(t/2)]");
  EXPECT_EQ(shape_after("d = aten.neg(b)\ne = aten.floor_divide(d, 2)\nc = aten.neg(e)"),
            "[floor((t + 1)/2)]");
  EXPECT_EQ(shape_after("d = aten.mul(b, 4)\nc = aten.div(d, 4, rounding_mode='trunc')"), "[t]");
  EXPECT_EQ(shape_after("d = aten.mul(b, 4)\nc = aten.remainder(d, 4)"), "[0]");
  EXPECT_EQ(shape_after("d = aten.mul(b, 0)\ne = aten.sub(d, 7)\nf = aten.neg(e)\n"
                        "c = aten.clamp(f, 2, 9)"),
            "[min(7, t)]");
}

TEST(Numbers, OfListsAndTextsAreCompared) {
  EXPECT_EQ(length_of("a = aten.eq([1, 2], [1, 2])\nlength = aten.Int(a)"), "[1]");
  EXPECT_EQ(length_of("a = aten.ne([1, 2], [1, 3])\nlength = aten.Int(a)"), "[1]");
  EXPECT_EQ(length_of("a = aten.eq('cuda:0', 'cpu')\nlength = aten.Int(a)"), "[0]");
  EXPECT_EQ(length_of("a = aten.__contains__(['a', 'b'], 'b')\nlength = aten.Int(a)"), "[1]");
}

TEST(Numbers, DoNotDivideByZero) {
  EXPECT_NE(refusal_of("x: int\nr = aten.__round_to_zero_floordiv(x, 0)\nreturn r")
                .find("it divides by 0"),
            std::string::npos);
}

TEST(Messages, NeedNotBeWritten) {
  EXPECT_EQ(length_of("m = aten.format('{} of {}', 1, 2)\naten.warn(m)\nn = aten.str(3)\n"
                      "length = aten.add(1, 1)"),
            "[2]");
}

TEST(Refusals, TellWhatStandsInTheWay) {
  EXPECT_NE(refusal_of("x: f32[3]\ny = aten.dropout.default(x, 0.5, True)\nreturn y")
                .find("it drops elements at random: the network was saved in training mode"),
            std::string::npos);
  EXPECT_NE(refusal_of("x: f32[3]\ny = aten.view.dtype(x, int32)\nreturn y")
                .find("it takes the bytes of a tensor for another type"),
            std::string::npos);
  EXPECT_NE(refusal_of("x: f32[3]\nz: i64[3]\ny = aten.bitwise_and.Tensor(x, z)\nreturn y")
                .find("it works on the bits of floats"),
            std::string::npos);
  EXPECT_NE(refusal_of("x: f32[3]\ny = aten.rrelu.default(x, 0.1, 0.3, True)\nreturn y")
                .find("it draws slopes at random"),
            std::string::npos);
  EXPECT_NE(refusal_of("x: f32[b, 5]\ny = aten.glu.default(x)\nreturn y").find("has no halves"),
            std::string::npos);
}

}  // namespace
}  // namespace voxport::number_test
