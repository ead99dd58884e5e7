#include "passes/lower_opset.h"

#include <gtest/gtest.h>

#include "base/fail.h"
#include "graph/check.h"
#include "graph/print.h"

namespace voxport::lower_opset_test {
namespace {

// The nodes of the graph in that opset, without their types.
std::string lowered(int opset, const char* text) {
  const auto graph = parse_graph(text);
  try {
    lower_opset(*graph, opset);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::kUnsupported);
    return error.what();
  }
  check(*graph);
  return print(*graph);
}

TEST(LowerOpset, SpellsLayerNormalizationAsOnnxRuntimeKnowsIt) {
  const char* text = R"(x: f32[b, t, 8]
      scale: f32[8] = const [1, 2, 3, 4, 5, 6, 7, 8]
      bias: f32[8] = const [1, 2, 3, 4, 5, 6, 7, 8]
      y = LayerNormalization(x, scale, bias) epsilon=0.5
      return y)";
  EXPECT_EQ(lowered(16, text), R"(x: f32[b, t, 8]
LayerNormalization.const: f32[] = const [2.0]
LayerNormalization.const_1: f32[] = const [0.5]
scale: f32[8] = const [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
bias: f32[8] = const [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
LayerNormalization.ReduceMean:0: f32[b, t, 1] = ReduceMean(x) axes=[-1] keepdims=1
LayerNormalization.Sub:0: f32[b, t, 8] = Sub(x, LayerNormalization.ReduceMean:0)
LayerNormalization.Pow:0: f32[b, t, 8] = Pow(LayerNormalization.Sub:0, LayerNormalization.const)
LayerNormalization.ReduceMean_1:0: f32[b, t, 1] = ReduceMean(LayerNormalization.Pow:0) axes=[-1] keepdims=1
LayerNormalization.Add:0: f32[b, t, 1] = Add(LayerNormalization.ReduceMean_1:0, LayerNormalization.const_1)
LayerNormalization.Sqrt:0: f32[b, t, 1] = Sqrt(LayerNormalization.Add:0)
LayerNormalization.Div:0: f32[b, t, 8] = Div(LayerNormalization.Sub:0, LayerNormalization.Sqrt:0)
LayerNormalization.Mul:0: f32[b, t, 8] = Mul(LayerNormalization.Div:0, scale)
LayerNormalization.Add_1:0: f32[b, t, 8] = Add(LayerNormalization.Mul:0, bias)
return y=LayerNormalization.Add_1:0
)");
  EXPECT_EQ(lowered(17, text), print(*parse_graph(text))) << "opset 17 has it";
}

TEST(LowerOpset, CutsTheShapeThatOpset14GivesWhole) {
  EXPECT_EQ(lowered(14, "x: f32[b, 8, t]\ny = Shape(x) start=-1\nreturn y"),
            R"(x: f32[b, 8, t]
Shape.const: i64[1] = const [-1]
Shape.const_1: i64[1] = const [9223372036854775807]
Shape.const_2: i64[1] = const [0]
Shape.Shape:0: i64[3] = Shape(x)
Shape.Slice:0: i64[1] = Slice(Shape.Shape:0, Shape.const, Shape.const_1, Shape.const_2)
return y=Shape.Slice:0
)");
  const char* text = "x: f32[b, 8, t]\ny = Shape(x) start=1 end=2\nreturn y";
  EXPECT_EQ(lowered(15, text), print(*parse_graph(text)));
  text = "x: f32[b, 8, t]\ny = Shape(x)\nreturn y";
  EXPECT_EQ(lowered(13, text), print(*parse_graph(text)));
}

// ONNX Runtime knows this chain, in this order, for one kernel.
TEST(LowerOpset, SpellsGelu) {
  EXPECT_EQ(lowered(17, "x: f32[t]\ny = Gelu(x)\nreturn y"), R"(x: f32[t]
Gelu.const: f32[] = const [1.4142135381698608]
Gelu.const_1: f32[] = const [1.0]
Gelu.const_2: f32[] = const [0.5]
Gelu.Div:0: f32[t] = Div(x, Gelu.const)
Gelu.Erf:0: f32[t] = Erf(Gelu.Div:0)
Gelu.Add:0: f32[t] = Add(Gelu.Erf:0, Gelu.const_1)
Gelu.Mul:0: f32[t] = Mul(x, Gelu.Add:0)
Gelu.Mul_1:0: f32[t] = Mul(Gelu.Mul:0, Gelu.const_2)
return y=Gelu.Mul_1:0
)");
}

TEST(LowerOpset, DropsAttributesThatSayNothingNew) {
  EXPECT_EQ(lowered(13, R"(x: f32[t, 4]
      to: i64[2] = const [-1, 2]
      a = Reshape(x, to) allowzero=1
      at: i64[1, 1] = const [0]
      by: f32[1, 2] = const
      y = ScatterND(a, at, by) reduction="none"
      return y)"),
            R"(x: f32[t, 4]
to: i64[2] = const [-1, 2]
at: i64[1, 1] = const [0]
by: f32[1, 2] = const [0.0, 0.0]
a: f32[2*t, 2] = Reshape(x, to)
y: f32[2*t, 2] = ScatterND(a, at, by)
return y
)");
}

TEST(LowerOpset, GivesAxesAndPadsAsOlderOpsetsDo) {
  EXPECT_EQ(lowered(17, R"(x: f32[b, 4, t]
      axes: i64[1] = const [-1]
      m = ReduceMean(x, axes) keepdims=0
      pads: i64[2] = const [1, 1]
      p = Pad(m, pads, _, axes) mode="reflect"
      a, c = Split(p) axis=1 num_outputs=2
      n = ReduceMax(a) noop_with_empty_axes=1
      return n, c)"),
            R"(x: f32[b, 4, t]
Pad.const: i64[4] = const [0, 1, 0, 1]
ReduceMean.ReduceMean:0: f32[b, 4] = ReduceMean(x) keepdims=0 axes=[-1]
Pad.Pad:0: f32[b, 6] = Pad(ReduceMean.ReduceMean:0, Pad.const, _) mode="reflect"
a: f32[b, 3], c: f32[b, 3] = Split(Pad.Pad:0) axis=1
ReduceMax.Identity:0: f32[b, 3] = Identity(a)
return n=ReduceMax.Identity:0, c
)");
}

TEST(LowerOpset, ListsAllThatItCannotSay) {
  EXPECT_EQ(lowered(13, R"(x: f32[t, 4]
      small: i8[t]
      at: i64[1, 1] = const [0]
      by: f32[1, 4] = const
      y = ScatterND(x, at, by) reduction="add"
      z = Add(small, small)
      return y, z)"),
            "opset 13 cannot say these 2:\n"
            "  ScatterND  ScatterND: a reduction needs opset 16\n"
            "  Add  Add of int8 needs opset 14");
  EXPECT_EQ(lowered(17, "x: f32[t]\na, b2 = Split(x) num_outputs=2\nreturn a, b2"),
            "opset 17 cannot say this:\n  Split  Split: 2 parts of t need opset 18");
  EXPECT_EQ(
      lowered(15, "x: f32[1, 2, h, w]\ngrid: f32[1, 3, 4, 2]\ny = GridSample(x, grid)\nreturn y"),
      "opset 15 cannot say this:\n  GridSample  GridSample: it needs opset 16");
}

}  // namespace
}  // namespace voxport::lower_opset_test
