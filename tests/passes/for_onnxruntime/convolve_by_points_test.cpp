// Convolutions by points compute what the plain ones do, in ONNX Runtime.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/check.h"
#include "graph/print.h"
#include "onnx/write.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/toom_cook.h"
#include "passes/passes.h"
#include "passes/pipeline.h"
#include "runtime/session.h"
#include "tests/needs_runtime.h"

namespace voxport::convolve_by_points_test {
namespace {

using Ints = std::vector<std::int64_t>;

// Numbers are of the order of 1. Products at points beyond 1 are several times as large as what
// they add up to, which costs as many times the rounding of float32: 1e-5 has been seen.
constexpr double kTolerance = 2e-5;

Tensor normal_numbers(const Ints& shape, double deviation) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  std::mt19937 generator(static_cast<unsigned>(count));
  std::normal_distribution<float> normal(0, static_cast<float>(deviation));
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(generator);
  return tensor_of(shape, values);
}

struct Example {
  std::int64_t kernel, dilation;
  Ints pads;  // before and after
  bool has_bias = true;
  std::int64_t in = 192, out = 384;
  Dim rows = 1;
  std::string after = {};  // an operator behind it
};

std::int64_t reach_of(const Example& example) { return example.dilation * (example.kernel - 1); }

Example same_length(std::int64_t kernel, std::int64_t dilation) {
  Example example{kernel, dilation, {}};
  const std::int64_t reach = reach_of(example);
  example.pads = {reach / 2, reach - reach / 2};
  return example;
}

// As long as many steps of an input, and of any number of samples.
Dim any_length() { return Dim::symbol("t") * Dim::symbol("each"); }

std::unique_ptr<Graph> graph_of(const Example& example, const Dim& length = any_length()) {
  auto graph = std::make_unique<Graph>();
  Builder g(*graph);
  Type type;
  type.shape = Shape{Dim::symbol("b"), example.in, example.rows, length};
  const Value x = graph->add_input("x", type);
  const double fan = static_cast<double>(example.in * example.kernel);
  std::vector<Value> inputs = {
      x, g.constant("w", normal_numbers({example.out, example.in, 1, example.kernel},
                                        1 / std::sqrt(fan)))};
  if (example.has_bias) inputs.push_back(g.constant("bias", normal_numbers({example.out}, 0.5)));
  Value y = g.node("Conv", inputs,
                   {{"kernel_shape", Ints{1, example.kernel}},
                    {"dilations", Ints{1, example.dilation}},
                    {"pads", Ints{0, example.pads[0], 0, example.pads[1]}}});
  if (example.after == "Add") y = g.node("Add", {y, y});
  if (example.after == "LeakyRelu") y = g.node("LeakyRelu", {y}, {{"alpha", 0.1}});
  graph->add_output("y", y);
  return graph;
}

std::int64_t count(const Graph& graph, std::string_view op) {
  return std::ranges::count_if(graph.nodes(), [&](const Node& node) { return node.op() == op; });
}

// The same graph by points; its output has the same type.
std::unique_ptr<Graph> by_points(const Example& example, const Dim& length = any_length()) {
  auto graph = graph_of(example, length);
  const std::string type = print(graph->outputs()[0].second.type());
  EXPECT_TRUE(convolve_by_points(*graph));
  drop_dead_nodes(*graph);
  check(*graph);
  EXPECT_EQ(print(graph->outputs()[0].second.type()), type);
  return graph;
}

Session session_of(const Graph& graph) {
  return Session::from_bytes(Blob::own(onnx_bytes(graph)), "test");
}

void expect_equal(const Session& plain, const Session& other, const Ints& shape) {
  const Tensor x = normal_numbers(shape, 1);
  const Tensor wanted = plain.run({{"x", x}}).at("y");
  const Tensor found = other.run({{"x", x}}).at("y");
  ASSERT_EQ(found.shape, wanted.shape);
  const std::vector<float> a = to_float32(wanted);
  const std::vector<float> b = to_float32(found);
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  EXPECT_LT(largest, kTolerance) << "at " << shape.back() << " steps";
}

void expect_equal(const Example& example, const Ints& lengths) {
  const Session plain = session_of(*graph_of(example));
  const Session other = session_of(*by_points(example));
  const std::int64_t rows = example.rows.constant().value_or(3);
  for (const std::int64_t length : lengths)
    if (length + example.pads[0] + example.pads[1] > reach_of(example))
      expect_equal(plain, other, {1, example.in, rows, length});
}

// The matrices.

TEST(ToomCook, MakesFourOutputsOfAnyTaps) {
  for (std::int64_t taps = 2; taps <= ToomCook::kMaxTaps; ++taps) {
    const ToomCook toom(taps);
    const std::size_t points = toom.points();
    ASSERT_EQ(points, static_cast<std::size_t>(taps) + 3);
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t s = 0; s < static_cast<std::size_t>(taps); ++s) {
        for (std::size_t l = 0; l < points; ++l) {
          double sum = 0;
          for (std::size_t i = 0; i < points; ++i)
            sum += toom.outputs[j][i] * toom.taps[i][s] * toom.inputs[i][l];
          EXPECT_NEAR(sum, l == j + s ? 1 : 0, 1e-13) << taps << " taps";
        }
      }
    }
  }
}

TEST(ToomCook, TakesInputsAsTheyAre) {
  for (std::int64_t taps = 2; taps <= ToomCook::kMaxTaps; ++taps) {
    for (const std::vector<double>& row : ToomCook(taps).inputs) {
      double largest = 0;
      for (const double number : row) largest = std::max(largest, std::abs(number));
      EXPECT_GE(largest, 0.7);
      EXPECT_LE(largest, 1.5);
    }
  }
}

// Convolutions.

class Kernels : public testing::TestWithParam<std::int64_t> {};

INSTANTIATE_TEST_SUITE_P(All, Kernels, testing::Values(3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
                         [](const auto& test) { return std::to_string(test.param); });

TEST_P(Kernels, GiveWhatPlainConvolutionsGive) {
  NEEDS_RUNTIME();
  for (const std::int64_t dilation : {1, 3, 5, 7})
    expect_equal(same_length(GetParam(), dilation), {1, 2, 3, 4, 5, 6, 37, 64, 131});
}

TEST_P(Kernels, GiveItWithoutPaddingAndBias) {
  NEEDS_RUNTIME();
  expect_equal({GetParam(), 1, {0, 0}, false}, {12, 13, 14, 15, 16, 57});
  expect_equal({GetParam(), 3, {0, 5}, false}, {34, 35, 36, 37, 90});
  expect_equal({GetParam(), 5, {7, 0}}, {49, 50, 51, 52, 111});
}

TEST(ConvolveByPoints, GivesTheSameAtAnyLength) {
  NEEDS_RUNTIME();
  Ints lengths;
  for (std::int64_t length = 1; length <= 300; ++length) lengths.push_back(length);
  expect_equal(same_length(3, 1), lengths);
  expect_equal(same_length(11, 5), lengths);
}

TEST(ConvolveByPoints, TakesBatchesAndRows) {
  NEEDS_RUNTIME();
  Example example = same_length(7, 3);
  example.out = 128;
  for (const Dim& rows : {Dim(2), Dim::symbol("rows")}) {
    example.rows = rows;
    expect_equal(session_of(*graph_of(example)), session_of(*by_points(example)),
                 {3, example.in, 2, 41});
  }
}

TEST(ConvolveByPoints, StaysInBlocksForSumsAndActivations) {
  NEEDS_RUNTIME();
  for (const char* after : {"Add", "LeakyRelu"}) {
    Example example = same_length(5, 1);
    EXPECT_EQ(count(*by_points(example), "Conv"), 9) << "of the points, and of the products";
    example.after = after;
    EXPECT_EQ(count(*by_points(example), "Conv"), 10);
    expect_equal(example, {33, 64});
  }
}

TEST(ConvolveByPoints, CutsOnlyLengthsThatMayBeNoMultipleOfFour) {
  const Example example = same_length(3, 1);
  EXPECT_EQ(count(*by_points(example, any_length()), "Slice"), 1);
  EXPECT_EQ(count(*by_points(example, Dim(4) * any_length()), "Slice"), 0);
  EXPECT_EQ(count(*by_points(example, Dim(2) * any_length()), "Slice"), 1);
}

TEST(ConvolveByPoints, SharesTheInputsOfConvolutions) {
  const auto two = [](std::int64_t second_kernel) {
    auto graph = graph_of(same_length(3, 1));
    Builder g(*graph);
    const std::int64_t pad = second_kernel / 2;
    graph->add_output(
        "other",
        g.node(
            "Conv",
            {graph->inputs()[0], g.constant("w", normal_numbers({384, 192, 1, second_kernel}, 1))},
            {{"kernel_shape", Ints{1, second_kernel}}, {"pads", Ints{0, pad, 0, pad}}}));
    EXPECT_TRUE(convolve_by_points(*graph));
    drop_dead_nodes(*graph);
    return count(*graph, "Conv");
  };
  EXPECT_EQ(two(3), 6 + 1 + 1);
  EXPECT_EQ(two(5), 6 + 1 + 8 + 1);
}

TEST(ConvolveByPoints, KeepsTheWeightAsItIs) {
  const auto graph = by_points(same_length(11, 1));
  std::uint64_t bytes = 0;
  for (const Value& constant : graph->constants())
    if (graph->count_uses(constant) > 0) bytes += constant.constant()->size_in_bytes();
  const std::uint64_t of_weight = 4 * 384 * 192 * 11;
  EXPECT_LE(bytes, of_weight + of_weight / 20);
  EXPECT_EQ(count(*graph, "MatMul"), 2) << "of the weight, and of the products";
}

TEST(ConvolveByPoints, IsTheLastForm) {
  const auto large = [](bool is_plain) {
    const auto graph = parse_graph(R"(x: f32[b, 256, 16*t]
        w: f32[256, 256, 3] = const
        y = Conv(x, w) pads=[1, 1]
        return y)");
    prepare(*graph, {.is_plain = is_plain});
    return count(*graph, "Conv");
  };
  EXPECT_EQ(large(false), 7);
  EXPECT_EQ(large(true), 1);
}

// What it leaves.

bool takes(const Example& example, const Dim& length = any_length()) {
  return convolve_by_points(*graph_of(example, length));
}

TEST(ConvolveByPoints, LeavesWhatIsNotWorthIt) {
  const Dim long_enough = Dim(64) * Dim::symbol("t");
  EXPECT_TRUE(takes(same_length(3, 1)));
  Example narrow = same_length(3, 1);
  narrow.in = 176;
  EXPECT_FALSE(takes(narrow, long_enough)) << "few channels to sum over";
  narrow = same_length(3, 1);
  narrow.out = 128;
  EXPECT_FALSE(takes(narrow, long_enough)) << "few channels to make";
  narrow = same_length(5, 1);
  narrow.in = narrow.out = 128;
  EXPECT_TRUE(takes(narrow, long_enough)) << "fewer will do for more taps";
  narrow = same_length(11, 1);
  narrow.in = narrow.out = 64;
  EXPECT_TRUE(takes(narrow, long_enough)) << "and still fewer for still more";
  narrow = same_length(10, 1);
  narrow.in = narrow.out = 64;
  EXPECT_FALSE(takes(narrow, long_enough));
  EXPECT_FALSE(takes(same_length(1, 1), long_enough));
  EXPECT_FALSE(takes(same_length(13, 1), long_enough));
}

// To load a weight takes as long as to use it for a while.
TEST(ConvolveByPoints, LeavesWeightsThatAreLittleUsed) {
  const Dim t = Dim::symbol("t");
  Example example = same_length(7, 1);
  example.in = example.out = 128;
  EXPECT_TRUE(takes(example, Dim(16) * t));
  EXPECT_FALSE(takes(example, Dim(16) * t - 1));
  EXPECT_FALSE(takes(example, t));
  example.in = example.out = 256;
  EXPECT_TRUE(takes(example, Dim(8) * t)) << "more channels save more at each use";
  EXPECT_FALSE(takes(example, Dim(8) * t - 1));
}

TEST(ConvolveByPoints, ExpectsPiecesWhereFlagsSaySo) {
  const auto takes_length = [](std::string_view length) {
    const auto graph = std::make_unique<Graph>();
    Builder g(*graph);
    Type flag{DType::kBool, Shape{1}, {}};
    const Value number =
        g.node("Cast", {graph->add_input("last", flag)}, {{"to", std::string("int64")}});
    graph->declare_elements(number, {Dim::symbol("last")});
    graph->add_output("number", number);
    Type type;
    type.shape = Shape{Dim::symbol("b"), 128, 1, Dim::parse(length)};
    const Value w = g.constant("w", normal_numbers({128, 128, 1, 7}, 1));
    graph->add_output("y", g.node("Conv", {graph->add_input("x", type), w}));
    return convolve_by_points(*graph);
  };
  EXPECT_FALSE(takes_length("t"));
  EXPECT_TRUE(takes_length("33*t"));
  EXPECT_FALSE(takes_length("17*t")) << "somebody waits for the graph to be loaded";
  EXPECT_FALSE(takes_length("t + 1000*last")) << "not the last piece";
}

TEST(ConvolveByPoints, LeavesWhatItCannotSay) {
  EXPECT_FALSE(takes(same_length(3, 2), Dim(64) * Dim::symbol("t")))
      << "two phases would stay empty";
  Example odd = same_length(3, 1);
  odd.in = 200;
  EXPECT_FALSE(takes(odd, Dim(64) * Dim::symbol("t"))) << "half a block of channels";
  odd = same_length(3, 1);
  odd.pads = {-1, 1};
  EXPECT_FALSE(takes(odd, Dim(64) * Dim::symbol("t")));
  const auto takes_text = [](const std::string& text) {
    return convolve_by_points(*parse_graph(text));
  };
  const std::string declared = "x: f32[b, 192, 1, 64*t]\nw: f32[384, 192, 1, 3] = const\n";
  EXPECT_TRUE(takes_text(declared + "y = Conv(x, w)\nreturn y"));
  EXPECT_FALSE(takes_text(declared + "y = Conv(x, w) strides=[1, 2]\nreturn y"));
  EXPECT_FALSE(
      takes_text("x: f32[b, 768, 1, 64*t]\nw: f32[384, 384, 1, 3] = const\n"
                 "y = Conv(x, w) group=2\nreturn y"));
  EXPECT_FALSE(
      takes_text("x: f32[b, 192, 1, 64*t]\nw: f32[384, 192, 1, 3]\n"
                 "y = Conv(x, w)\nreturn y"))
      << "a weight that is computed";
  EXPECT_FALSE(
      takes_text("x: f16[b, 192, 1, 64*t]\nw: f16[384, 192, 1, 3] = const\n"
                 "y = Conv(x, w)\nreturn y"));
  EXPECT_FALSE(
      takes_text("x: f32[b, 192, 64*t]\nw: f32[384, 192, 3] = const\n"
                 "y = Conv(x, w)\nreturn y"))
      << "no rows";
  EXPECT_FALSE(
      takes_text("x: f32[b, 192, h, t]\nw: f32[384, 192, 3, 3] = const\n"
                 "y = Conv(x, w)\nreturn y"))
      << "a picture";
}

}  // namespace
}  // namespace voxport::convolve_by_points_test
