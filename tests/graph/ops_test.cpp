// Each word, and what it stands for.
#include "graph/ops.h"

#include <functional>

#include <gtest/gtest.h>

#include "base/text.h"
#include "graph/builder.h"
#include "graph/print.h"

namespace voxport::ops_test {
namespace {

std::string constant_text(const Tensor& tensor) {
  std::string text;
  for_each_element(tensor, [&](const std::byte* element) {
    text += cat(text.empty() ? "" : ", ", element_value(tensor.dtype, element));
  });
  return tensor.shape.empty() ? text : cat("[", text, "]");
}

// The whole way to a value as one expression, constants as they are. Which of two arguments was
// made first cannot be seen.
std::string expression(const Value& value) {
  if (const Tensor* constant = value.constant()) return constant_text(*constant);
  const auto node = value.producer();
  if (!node) return value.name();
  std::string arguments;
  for (const Value& input : node->inputs())
    arguments += cat(arguments.empty() ? "" : ", ", expression(input));
  for (const auto& [name, attribute] : node->attributes())
    arguments += cat(", ", name, "=", print(attribute));
  std::string output;
  for (std::size_t i = 1; i < node->outputs().size(); ++i)
    if (node->outputs()[i] == value) output = cat("#", i);
  return cat(node->op(), "(", arguments, ")", output);
}

// x: f32[b, 4, t] and n: i64[b, t]
using Word = std::function<Value(const Value& x, const Value& n)>;

// What the word makes of them: "Relu(x): f32[b, 4, t]".
std::string meaning(const Word& word) {
  Graph graph;
  const Dim b = Dim::symbol("b");
  const Dim t = Dim::symbol("t");
  const Value x = graph.add_input("x", {DType::kFloat32, Shape{b, 4, t}, {}});
  const Value n = graph.add_input("n", {DType::kInt64, Shape{b, t}, {}});
  const Value y = word(x, n);
  return cat(expression(y), ": ", print(y.type()));
}

#define EXPECT_MEANS(text, ...)                                                            \
  EXPECT_EQ(meaning([]([[maybe_unused]] const Value& x,                                    \
                       [[maybe_unused]] const Value& n) -> Value { return __VA_ARGS__; }), \
            text)

TEST(Ops, GiveNumbersTheTypeOfWhatTheyMeet) {
  EXPECT_MEANS("Add(x, 1): f32[b, 4, t]", x + 1);
  EXPECT_MEANS("Sub(n, 1): i64[b, t]", n - 1);
  EXPECT_MEANS("Mul(x, 0.5): f32[b, 4, t]", x * 0.5);
  EXPECT_MEANS("Div(n, 2): i64[b, t]", n / 2);
  EXPECT_MEANS("Max(n, 1): i64[b, t]", maximum(n, 1));
  EXPECT_MEANS("LessOrEqual(x, 5): bool[b, 4, t]", less_or_equal(x, 5));
  EXPECT_MEANS("Greater(n, 0): bool[b, t]", greater(n, 0));
}

TEST(Ops, WorkElementByElement) {
  EXPECT_MEANS("Add(x, x): f32[b, 4, t]", x + x);
  EXPECT_MEANS("Sub(x, x): f32[b, 4, t]", x - x);
  EXPECT_MEANS("Mul(x, x): f32[b, 4, t]", x * x);
  EXPECT_MEANS("Div(x, x): f32[b, 4, t]", x / x);
  EXPECT_MEANS("Min(n, n): i64[b, t]", minimum(n, n));
  EXPECT_MEANS("Less(n, n): bool[b, t]", less(n, n));
  EXPECT_MEANS("GreaterOrEqual(x, x): bool[b, 4, t]", greater_or_equal(x, x));
  EXPECT_MEANS("Where(Less(n, n), n, n): i64[b, t]", where(less(n, n), n, n));
  EXPECT_MEANS("Cast(n, to=\"float32\"): f32[b, t]", cast(n, DType::kFloat32));
  EXPECT_MEANS("Abs(x): f32[b, 4, t]", abs(x));
  EXPECT_MEANS("Ceil(x): f32[b, 4, t]", ceil(x));
  EXPECT_MEANS("Exp(x): f32[b, 4, t]", exp(x));
  EXPECT_MEANS("Sqrt(x): f32[b, 4, t]", sqrt(x));
  EXPECT_MEANS("Relu(x): f32[b, 4, t]", relu(x));
  EXPECT_MEANS("LeakyRelu(x, alpha=0.1): f32[b, 4, t]", leaky_relu(x, 0.1));
  EXPECT_MEANS("Sigmoid(x): f32[b, 4, t]", sigmoid(x));
  EXPECT_MEANS("Softplus(x): f32[b, 4, t]", softplus(x));
  EXPECT_MEANS("Tanh(x): f32[b, 4, t]", tanh(x));
}

TEST(Gelu, IsOneNode) { EXPECT_MEANS("Gelu(x): f32[b, 4, t]", gelu(x)); }

TEST(Ops, WorkAlongAnAxis) {
  EXPECT_MEANS("Softmax(x, axis=-1): f32[b, 4, t]", softmax(x, -1));
  EXPECT_MEANS("CumSum(n, 1): i64[b, t]", cum_sum(n, 1));
  EXPECT_MEANS("ReduceSum(x, [1], keepdims=1): f32[b, 1, t]", reduce_sum(x, {1}, true));
  EXPECT_MEANS("ReduceSum(x, [0, 2], keepdims=0): f32[4]", reduce_sum(x, {0, 2}, false));
  EXPECT_MEANS("ReduceMax(x, axes=[-1], keepdims=0): f32[b, 4]", reduce_max(x, {-1}, false));
}

TEST(Ops, ChangeShapes) {
  EXPECT_MEANS("Reshape(x, [0, 2, -1]): f32[b, 2, 2*t]", reshape(x, {0, 2, -1}));
  EXPECT_MEANS("Transpose(x, perm=[0, 2, 1]): f32[b, t, 4]", transpose(x, {0, 2, 1}));
  EXPECT_MEANS("Unsqueeze(n, [1, 3]): i64[b, 1, t, 1]", unsqueeze(n, {1, 3}));
  EXPECT_MEANS("Squeeze(Unsqueeze(n, [1]), [1]): i64[b, t]", squeeze(unsqueeze(n, {1}), {1}));
  EXPECT_MEANS("Concat(x, x, axis=1): f32[b, 8, t]", concat({x, x}, 1));
  EXPECT_MEANS("Split(x, [1, 3], axis=1): f32[b, 1, t]", split(x, {1, 3}, 1)[0]);
  EXPECT_MEANS("Split(x, [1, 3], axis=1)#1: f32[b, 3, t]", split(x, {1, 3}, 1)[1]);
  EXPECT_MEANS("Slice(x, [1], [3], [1]): f32[b, 2, t]", slice(x, 1, 1, 3));
  EXPECT_MEANS("Slice(x, [0], [-2], [-1]): f32[b, 4, t - 2]", slice(x, -1, 0, -2));
  EXPECT_MEANS(
      "Expand(n, Concat(Gather(Shape(n), [0], axis=0), Gather(Shape(x), [2], axis=0), axis=0)): "
      "i64[b, t]",
      expand(n, concat({size(n, 0), size(x, 2)}, 0)));
}

TEST(Pad, PadsOneAxis) {
  EXPECT_MEANS("Pad(x, [0, 0, 1, 0, 0, 2]): f32[b, 4, t + 3]", pad(x, -1, 1, 2));
  EXPECT_MEANS("Pad(n, [0, 0, 0, 1], 7): i64[b, t + 1]", pad(n, 1, 0, 1, 7));
  EXPECT_MEANS("Pad(n, [2, 0, 0, 0]): i64[b + 2, t]", pad(n, 0, 2, 0));
}

TEST(PadAfter, PadsByWhatTheRunTells) {
  EXPECT_MEANS(
      "Pad(x, Concat([0, 0, 0, 0], Gather(Shape(x), [2], axis=0), [0], axis=0)): f32[b, t + 4, t]",
      pad_after(x, 1, size(x, 2)));
  EXPECT_MEANS(
      "Pad(x, Concat([0, 0, 0, 0, 0], Gather(Shape(x), [2], axis=0), axis=0)): f32[b, 4, 2*t]",
      pad_after(x, -1, size(x, 2)));
}

TEST(Size, IsKnownAsTheExpressionItIs) {
  EXPECT_MEANS("Gather(Shape(x), [-1], axis=0): i64[1]", size(x, -1));
  EXPECT_MEANS("Range(0, Squeeze(Gather(Shape(x), [2], axis=0), [0]), 1): i64[t]",
               range(size(x, 2)));
  EXPECT_MEANS(
      "ConstantOfShape(Concat(Gather(Shape(n), [0], axis=0), [7], axis=0), value=<f32[1] [0.0]>): "
      "f32[b, 7]",
      zeros(concat({size(n, 0), Builder(n.graph()).int64s({7})}, 0), DType::kFloat32));
}

TEST(Ops, ChooseByIndex) {
  EXPECT_MEANS("Gather(x, n, axis=1): f32[b, b, t, t]", gather(x, n, 1));
  EXPECT_MEANS(
      "GatherND(Transpose(x, perm=[0, 2, 1]), Unsqueeze(n, [2]), batch_dims=1): f32[b, t, 4]",
      gather_nd(transpose(x, {0, 2, 1}), unsqueeze(n, {2}), 1));
  EXPECT_MEANS("GatherElements(n, n, axis=1): i64[b, t]", gather_elements(n, n, 1));
  EXPECT_MEANS("ScatterElements(n, n, n, axis=1): i64[b, t]", scatter_elements(n, n, n, 1));
}

TEST(Ops, MultiplyAndNormalise) {
  EXPECT_MEANS("MatMul(Transpose(x, perm=[0, 2, 1]), x): f32[b, t, t]",
               matmul(transpose(x, {0, 2, 1}), x));
  EXPECT_MEANS(
      "LayerNormalization(Reshape(x, [0, 0, 2]), [1, 1], [0, 0], axis=-1, epsilon=1e-05): "
      "f32[b, 4, 2]",
      layer_norm(reshape(x, {0, 0, 2}),
                 Builder(x.graph()).constant("gamma", tensor_of({2}, {1, 1})),
                 Builder(x.graph()).constant("beta", tensor_of({2}, {0, 0})), 1e-5));
}

TEST(RandomNormalLike, HasTheShapeAndNotTheType) {
  EXPECT_MEANS("RandomNormalLike(n, dtype=\"float32\"): f32[b, t]", random_normal_like(n));
}

}  // namespace
}  // namespace voxport::ops_test
