// What the evaluator computes is what ONNX Runtime computes.
#include "passes/evaluate.h"

#include <cmath>

#include <gtest/gtest.h>

#include "graph/print.h"
#include "onnx/write.h"
#include "passes/passes.h"
#include "runtime/session.h"
#include "tests/needs_runtime.h"

namespace voxport::evaluate_test {
namespace {

constexpr const char* kConstants = R"(
x: f32[2, 3] = const [0.5, -1.25, 2, 0.1, 3.5, -0.75]
u: f32[2, 3] = const [0.1, 0.25, 0.9, 0.5, 0.75, 0.3]
v: f32[3] = const [1.5, 2, -3]
d: f64[2, 3] = const [0.5, -1.25, 2, 0.1, 3.5, -0.75]
i: i64[2, 3] = const [7, -7, 5, 0, -3, 2]
j: i64[3] = const [2, 3, -2]
k: i32[2, 3] = const [7, -7, 5, 0, -3, 2]
b: bool[2, 3] = const [1, 0, 1, 1, 0, 0]
c: bool[3] = const [1, 1, 0]
cube: f32[2, 3, 4] = const [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]
zero: i64[] = const [0]
one: i64[] = const [1]
minus: i64[] = const [-1]
low: f32[] = const [-0.5]
high: f32[] = const [1.5]
axis0: i64[1] = const [0]
axis1: i64[1] = const [1]
axis2: i64[1] = const [2]
both: i64[2] = const [0, 1]
)";

// Nodes of those constants that give y.
constexpr const char* kNodes[] = {
    "y = Abs(x)",
    "y = Abs(i)",
    "y = Abs(d)",
    "y = Acos(u)",
    "a = Exp(u)\ny = Acosh(a)",
    "y = Add(x, v)",
    "y = Add(i, j)",
    "y = Add(k, k)",
    "y = And(b, c)",
    "y = Asin(u)",
    "y = Asinh(x)",
    "y = Atan(x)",
    "y = Atanh(u)",
    "y = Cast(x) to=\"int64\"",
    "y = Cast(x) to=\"int32\"",
    "y = Cast(x) to=\"bool\"",
    "y = Cast(x) to=\"float64\"",
    "y = Cast(x) to=\"float16\"",
    "h = Cast(u) to=\"float16\"\ny = Cast(h) to=\"float32\"",
    "h = Cast(u) to=\"bfloat16\"\ny = Cast(h) to=\"float32\"",
    "y = Cast(i) to=\"float32\"",
    "y = Cast(i) to=\"uint8\"",
    "y = Cast(b) to=\"float32\"",
    "y = Cast(i) to=\"bool\"",
    "y = Ceil(x)",
    "y = Clip(x, low, high)",
    "y = Clip(x, _, high)",
    "y = Clip(x, low)",
    "y = Concat(x, u) axis=0",
    "y = Concat(x, u, x) axis=-1",
    "y = ConstantOfShape(both)",
    "y = Cos(x)",
    "y = Cosh(x)",
    "y = CumSum(x, one)",
    "y = CumSum(x, zero) exclusive=1",
    "y = CumSum(i, minus) reverse=1",
    "y = Div(x, v)",
    "y = Div(i, j)",
    "y = Elu(x) alpha=0.7",
    "y = Equal(i, i)",
    "y = Equal(x, u)",
    "y = Erf(x)",
    "y = Exp(x)",
    "s: i64[3] = const [2, 1, 3]\ny = Expand(x, s)",
    "s: i64[3] = const [4, 2, 3]\ny = Expand(v, s)",
    "y = Flatten(cube) axis=2",
    "y = Flatten(cube) axis=-1",
    "y = Floor(x)",
    "n: i64[2] = const [-1, 0]\ny = Gather(cube, n) axis=1",
    "n: i64[2, 1] = const [1, 0]\ny = Gather(x, n)",
    "n: i64[2, 2] = const [0, -1, 2, 1]\ny = GatherElements(x, n) axis=1",
    "n: i64[2, 2] = const [0, -1, 1, 2]\ny = GatherND(cube, n)",
    "t = Transpose(u) perm=[1, 0]\ny = Gemm(x, t)",
    "y = Gemm(x, u, low) transB=1 alpha=0.5 beta=2.0",
    "y = Greater(x, u)",
    "y = Greater(i, j)",
    "y = GreaterOrEqual(x, v)",
    "y = HardSigmoid(x) alpha=0.3 beta=0.4",
    "y = HardSwish(x)",
    "y = Identity(x)",
    "z = Sub(u, u)\nq = Div(x, z)\ny = IsInf(q) detect_negative=0",
    "z = Sub(u, u)\nq = Div(z, z)\ny = IsNaN(q)",
    "y = LeakyRelu(x) alpha=0.2",
    "y = Less(x, u)",
    "y = LessOrEqual(i, j)",
    "y = Log(u)",
    "y = LogSoftmax(x) axis=0",
    "t = Transpose(cube) perm=[0, 2, 1]\ny = MatMul(t, v)",
    "t = Transpose(cube) perm=[0, 2, 1]\ny = MatMul(cube, t)",
    "y = MatMul(x, v)",
    "y = MatMul(v, v)",
    "y = Max(x, u, v)",
    "y = Max(i, j)",
    "y = Min(x, v)",
    "y = Min(i, j)",
    "y = Mod(i, j)",
    "y = Mod(x, v) fmod=1",
    "y = Mul(x, v)",
    "y = Mul(i, j)",
    "y = Neg(x)",
    "y = Neg(i)",
    "y = Not(b)",
    "y = Or(b, c)",
    "p: i64[4] = const [1, 0, 0, 2]\ny = Pad(x, p, high)",
    "p: i64[4] = const [0, 2, 1, 1]\ny = Pad(x, p) mode=\"reflect\"",
    "p: i64[4] = const [2, 1, 0, 3]\ny = Pad(x, p) mode=\"edge\"",
    "p: i64[4] = const [0, -1, 0, 1]\ny = Pad(x, p)",
    "y = Pow(x, one)",
    "e: f32[] = const [2]\ny = Pow(x, e)",
    "y = Pow(u, x)",
    "f: i64[] = const [7]\ne: i64[] = const [2]\ny = Range(one, f, e)",
    "e: f32[] = const [0.25]\ny = Range(low, high, e)",
    "f: i64[] = const [-5]\ny = Range(one, f, minus)",
    "y = Reciprocal(x)",
    "y = ReduceL1(x) axes=[1]",
    "y = ReduceL2(cube) axes=[0, 2] keepdims=0",
    "y = ReduceMax(x) axes=[0]",
    "y = ReduceMax(i) axes=[1] keepdims=0",
    "y = ReduceMean(cube) axes=[-1]",
    "y = ReduceMin(x)",
    "y = ReduceMin(k) axes=[0]",
    "y = ReduceProd(x) axes=[1]",
    "y = ReduceSum(cube, both) keepdims=0",
    "y = ReduceSum(i, axis1)",
    "y = ReduceSumSquare(x) axes=[1]",
    "y = Relu(x)",
    "s: i64[2] = const [0, -1]\ny = Reshape(cube, s)",
    "t = Transpose(cube) perm=[2, 0, 1]\ns: i64[2] = const [6, 4]\ny = Reshape(t, s)",
    "y = Round(x)",
    "n: i64[1, 2] = const [1, -1]\nw: f32[1, 2] = const [7, 8]\ny = ScatterElements(x, n, w) "
    "axis=1",
    "n: i64[2, 2] = const [0, 1, 1, -1]\nw: f32[2] = const [7, 8]\ny = ScatterND(x, n, w)",
    "n: i64[1, 1] = const [1]\nw: f32[1, 3] = const [7, 8, 9]\ny = ScatterND(x, n, w)",
    "y = Sigmoid(x)",
    "y = Sign(x)",
    "y = Sin(x)",
    "y = Sinh(x)",
    "e: i64[1] = const [3]\ny = Slice(cube, axis1, e, axis2)",
    "s: i64[2] = const [-1, 0]\ne: i64[2] = const [-9, 9]\nw: i64[2] = const [-1, 2]\n"
    "a: i64[2] = const [1, 2]\ny = Slice(cube, s, e, a, w)",
    "s: i64[1] = const [3]\ne: i64[1] = const [1]\ny = Slice(cube, s, e, axis2)",
    "y = Softmax(cube) axis=1",
    "y = Softplus(x)",
    "y = Softsign(x)",
    "s: i64[2] = const [1, 2]\ny, z = Split(x, s) axis=1",
    "z, y = Split(cube) axis=2",
    "y = Sqrt(u)",
    "a = Unsqueeze(x, axis1)\ny = Squeeze(a, axis1)",
    "a = Unsqueeze(x, axis0)\ny = Squeeze(a)",
    "y = Sub(x, v)",
    "y = Sub(i, j)",
    "y = Sum(x, u, v)",
    "y = Tan(u)",
    "y = Tanh(x)",
    "r: i64[2] = const [3, 2]\ny = Tile(x, r)",
    "y = Transpose(cube)",
    "y = Transpose(cube) perm=[1, 2, 0]",
    "y = Trilu(cube, one)",
    "y = Trilu(x, minus) upper=0",
    "y = Unsqueeze(x, both)",
    "y = Where(b, x, v)",
    "y = Where(c, i, j)",
    "y = Xor(b, c)",
};

// Bit for bit, but for floats, which are rounded in other places.
void expect_near(const Tensor& found, const Tensor& expected) {
  ASSERT_EQ(name_of(found.dtype), name_of(expected.dtype));
  ASSERT_EQ(found.shape, expected.shape);
  std::vector<double> values;
  for_each_element(
      expected, [&](const std::byte* at) { values.push_back(element_value(expected.dtype, at)); });
  std::size_t i = 0;
  for_each_element(found, [&](const std::byte* at) {
    const double value = element_value(found.dtype, at);
    const double tolerance = is_integer(found.dtype) ? 0 : 5e-7 * (1 + std::abs(values[i]));
    EXPECT_TRUE(value == values[i] || std::abs(value - values[i]) <= tolerance)
        << "found " << value << ", expected " << values[i] << " at element " << i;
    ++i;
  });
}

std::string op_of(const std::string& nodes) {
  const std::size_t start = nodes.rfind("= ", nodes.rfind('(')) + 2;
  return nodes.substr(start, nodes.find('(', start) - start);
}

class Evaluate : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

TEST_P(Evaluate, GivesWhatOnnxRuntimeGives) {
  const std::string text = std::string(kConstants) + GetParam() + "\nreturn y\n";
  const auto folded = parse_graph(text);
  const std::string bytes = onnx_bytes(*folded);
  ASSERT_TRUE(fold_constants(*folded));
  const Tensor* found = folded->outputs()[0].second.constant();
  ASSERT_TRUE(found);
  expect_near(*found, Session::from_bytes(Blob::own(bytes), "graph").run({}).at("y"));
}

INSTANTIATE_TEST_SUITE_P(Nodes, Evaluate, testing::ValuesIn(kNodes), [](const auto& param) {
  return op_of(param.param) + std::to_string(param.index);
});

}  // namespace
}  // namespace voxport::evaluate_test
