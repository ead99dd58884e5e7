#include "onnx/validate.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "graph/builder.h"
#include "graph/print.h"

namespace voxport::validate_test {
namespace {

std::string verdict(const Graph& graph, const OnnxOptions& options = {}) {
  try {
    validate_onnx(graph, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::kInternal);
    return error.what();
  }
  return "valid";
}

TEST(ValidateOnnx, AcceptsComputedShapes) {
  EXPECT_EQ(verdict(*parse_graph(R"(x: f32[b, 192, t]
      s = Shape(x) start=2
      minus: i64[1] = const [-1]
      zero: i64[1] = const [0]
      to = Concat(zero, minus, s) axis=0
      y = Reshape(x, to)
      n = Shape(x) start=2 end=3
      n0 = Squeeze(n, zero)
      start: i64[] = const [0]
      step: i64[] = const [1]
      r = Range(start, n0, step)
      return y, r)")),
            "valid");
}

TEST(ValidateOnnx, NamesTheNodeThatOnnxRefuses) {
  Graph graph;
  Type type;
  type.shape = Shape{Dim::symbol("t")};
  const Value x = graph.add_input("x", type);
  const Type types[] = {type};
  graph.add_output("y", graph.add_node("dec.strange", "Relu", {x, x}, {}, types).output());
  const std::string message = verdict(graph);
  EXPECT_TRUE(message.starts_with("ONNX rejects the model: ")) << message;
  EXPECT_NE(message.find("dec.strange"), std::string::npos) << message;
}

TEST(ValidateOnnx, RefusesWhatTheOpsetLacks) {
  OnnxOptions options;
  options.opset = 16;
  const auto graph = parse_graph(R"(x: f32[b, t, 8]
      w: f32[8] = const
      y = LayerNormalization(x, w)
      return y)");
  EXPECT_EQ(verdict(*graph), "valid");
  EXPECT_NE(verdict(*graph, options).find("LayerNormalization"), std::string::npos);
}

// A node that is said to give a type which it does not.
std::string verdict_of_relu_that_gives(const Type& type) {
  Graph graph;
  Type x;
  x.shape = Shape{Dim::symbol("b"), 8};
  const Type types[] = {type};
  const Value input = graph.add_input("x", x);
  const Value inside = graph.add_node("r", "Relu", {input}, {}, types).output();
  graph.add_output("y", graph.add_node("s", "Abs", {inside}, {}, types).output());
  return verdict(graph);
}

TEST(ValidateOnnx, ComparesItsTypesWithOurs) {
  Type type;
  type.shape = Shape{Dim::symbol("b"), 8};
  EXPECT_EQ(verdict_of_relu_that_gives(type), "valid");
  type.shape = Shape{Dim::symbol("b"), 9};
  EXPECT_EQ(verdict_of_relu_that_gives(type),
            "ONNX infers other types than we do:\n"
            "  r:0  ours float32[b, 9], ONNX's float32[b, 8]\n"
            "  y  ours float32[b, 9], ONNX's float32[b, 8]");
  type.shape = Shape{Dim::symbol("b"), 8, 1};
  EXPECT_NE(verdict_of_relu_that_gives(type), "valid") << "another rank";
  type.shape = Shape{8, 2 * Dim::symbol("b")};
  EXPECT_NE(verdict_of_relu_that_gives(type), "valid") << "a free axis that is not free";
  type.shape = Shape{Dim::symbol("b"), Dim::symbol("only_the_run_knows")};
  EXPECT_EQ(verdict_of_relu_that_gives(type), "valid");
  type.shape = Shape{Dim::symbol("b"), 8};
  type.dtype = DType::kFloat64;
  EXPECT_NE(verdict_of_relu_that_gives(type), "valid") << "another element type";
}

TEST(ValidateOnnx, ReadsNoWeights) {
  class Unread : public Storage {
   public:
    Unread() : Storage(std::uint64_t{1} << 40) {}

   private:
    Blob load() const override { fail(Error::kUnreadable, "the weights were read"); }
  };
  Graph graph;
  Type type;
  type.shape = Shape{Dim::symbol("b"), std::int64_t{1} << 19};
  const Value x = graph.add_input("x", type);
  const Value w = graph.add_constant(
      "w", make_tensor(DType::kFloat32, {std::int64_t{1} << 19, std::int64_t{1} << 19}, {}, 0,
                       std::make_shared<Unread>()));
  graph.add_output("y", Builder(graph).node("MatMul", {x, w}));
  EXPECT_EQ(verdict(graph), "valid");
}

TEST(ValidateOnnx, IsQuick) {
  std::string text = "x: f32[b, 8, t]\nw: f32[8, 8, 3] = const\nh0 = Relu(x)\n";
  for (int i = 0; i < 500; ++i)
    text += cat("c", i, " = Conv(h", i, ", w) pads=[1, 1]\nh", i + 1, " = Relu(c", i, ")\n");
  const auto graph = parse_graph(text + "return h500");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(verdict(*graph), "valid");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", static_cast<int>(taken.count() * 1000));
  EXPECT_LT(taken.count(), 2.0) << "a tenth of a second on an idle machine without sanitizers";
}

}  // namespace
}  // namespace voxport::validate_test
