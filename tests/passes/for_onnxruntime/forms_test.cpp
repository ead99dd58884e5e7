// Each form is shown a graph that it changes and one that it must leave alone.
#include "passes/for_onnxruntime/forms.h"

#include <numeric>

#include <gtest/gtest.h>

#include "base/tensor_math.h"
#include "base/text.h"
#include "graph/check.h"
#include "graph/print.h"
#include "onnx/write.h"
#include "passes/passes.h"
#include "passes/pipeline.h"
#include "passes/rewrite.h"
#include "runtime/session.h"
#include "tests/cases.h"
#include "tests/needs_runtime.h"

namespace voxport::forms_test {
namespace {

// The graph after the pass and the removal of what it left behind.
std::unique_ptr<Graph> after(bool (*pass)(Graph&), const char* text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(pass(*graph));
  optimise(*graph);
  check(*graph);
  return graph;
}

// The operators, in order, each with the shape of its output.
std::string steps_of(const Graph& graph) {
  std::string steps;
  for (const Node& node : graph.nodes())
    steps += node.op() + " " + shape_text(node.output().shape()) + "\n";
  return steps;
}

std::string steps_after(bool (*pass)(Graph&), const char* text) {
  return steps_of(*after(pass, text));
}

bool changes(bool (*pass)(Graph&), const char* text) { return pass(*parse_graph(text)); }

// fold_gains

TEST(FoldGains, MovesAFactorThroughAnActivationIntoTheWeights) {
  const auto graph = after(fold_gains, R"(x: f32[b, 1, t]
      w: f32[1, 1, 2] = const [6, -3]
      n: f32[] = const [3]
      mean = Div(x, n)
      active = LeakyRelu(mean) alpha=0.1
      y = Conv(active, w)
      return y)");
  EXPECT_EQ(steps_of(*graph), "LeakyRelu [b, 1, t]\nConv [b, 1, t - 1]\n");
  const Node conv = graph->nodes().back();
  EXPECT_EQ(to_float32(*conv.input(1).constant()), (std::vector<float>{2, -1}));
}

TEST(FoldGains, LeavesWhatAFactorWouldChange) {
  EXPECT_FALSE(changes(fold_gains, R"(x: f32[b, 1, t]
      w: f32[1, 1, 2] = const
      n: f32[] = const [3]
      mean = Div(x, n)
      active = Tanh(mean)
      y = Conv(active, w)
      return y)"));
  EXPECT_FALSE(changes(fold_gains, R"(x: f32[b, 1, t]
      w: f32[1, 1, 2] = const
      n: f32[] = const [-3]
      scaled = Mul(x, n)
      active = Relu(scaled)
      y = Conv(active, w)
      return y)"))
      << "the other half would be cut off";
  EXPECT_FALSE(changes(fold_gains, R"(x: f32[b, 1, t]
      w: f32[1, 1, 2] = const
      n: f32[] = const [3]
      mean = Div(x, n)
      y = Conv(mean, w)
      return y, mean)"))
      << "the factor is needed elsewhere";
}

// convolve_rows

TEST(ConvolveRows, GivesWhatLiesBetweenConvolutionsAnAxis) {
  EXPECT_EQ(steps_after(convolve_rows, R"(x: f32[b, 16, t]
      w: f32[16, 16, 3] = const
      slope: f32[16, 1] = const
      a = Conv(x, w) pads=[1, 1]
      r = Mul(a, slope)
      s = Add(r, x)
      c = Conv(s, w) pads=[2, 2] dilations=[2]
      y = Tanh(c)
      return y)"),
            "Unsqueeze [b, 16, 1, t]\n"
            "Conv [b, 16, 1, t]\n"
            "Mul [b, 16, 1, t]\n"
            "Add [b, 16, 1, t]\n"
            "Conv [b, 16, 1, t]\n"
            "Squeeze [b, 16, t]\n"
            "Tanh [b, 16, t]\n");
}

TEST(ConvolveRows, FollowsTimeThroughTranspositions) {
  EXPECT_EQ(steps_after(convolve_rows, R"(x: f32[b, 16, t]
      w: f32[16, 16, 3] = const
      scale: f32[16] = const
      shift: f32[16] = const
      matrix: f32[16, 16] = const
      a = Conv(x, w) pads=[1, 1]
      last = Transpose(a) perm=[0, 2, 1]
      n = LayerNormalization(last, scale, shift) axis=-1
      m = MatMul(n, matrix)
      first = Transpose(m) perm=[0, 2, 1]
      y = Conv(first, w) pads=[1, 1]
      return y)"),
            "Unsqueeze [b, 16, 1, t]\n"
            "Conv [b, 16, 1, t]\n"
            "Transpose [b, 1, t, 16]\n"
            "LayerNormalization [b, 1, t, 16]\n"
            "MatMul [b, 1, t, 16]\n"
            "Transpose [b, 16, 1, t]\n"
            "Conv [b, 16, 1, t]\n"
            "Squeeze [b, 16, t]\n");
}

TEST(ConvolveRows, LetsReshapesMakeAndTakeTheAxis) {
  EXPECT_EQ(steps_after(convolve_rows, R"(x: f32[b, 2, t, 8]
      joined: i64[3] = const [0, -1, 16]
      apart: i64[4] = const [0, 0, 2, 8]
      w: f32[16, 16, 3] = const
      heads = Transpose(x) perm=[0, 2, 1, 3]
      a = Reshape(heads, joined)
      first = Transpose(a) perm=[0, 2, 1]
      c = Conv(first, w) pads=[1, 1]
      last = Transpose(c) perm=[0, 2, 1]
      y = Reshape(last, apart)
      return y)"),
            "Transpose [b, t, 2, 8]\n"
            "Reshape [b, 1, t, 16]\n"
            "Transpose [b, 16, 1, t]\n"
            "Conv [b, 16, 1, t]\n"
            "Transpose [b, 1, t, 16]\n"
            "Reshape [b, t, 2, 8]\n");
}

TEST(ConvolveRows, LetsASqueezeTakeTheAxis) {
  EXPECT_EQ(steps_after(convolve_rows, R"(x: f32[b, 16, t]
      w: f32[16, 16, 3] = const
      matrix: f32[16, 1] = const
      two: i64[1] = const [2]
      a = Conv(x, w) pads=[1, 1]
      last = Transpose(a) perm=[0, 2, 1]
      m = MatMul(last, matrix)
      y = Squeeze(m, two)
      return y)"),
            "Unsqueeze [b, 16, 1, t]\n"
            "Conv [b, 16, 1, t]\n"
            "Transpose [b, 1, t, 16]\n"
            "MatMul [b, 1, t, 1]\n"
            "Squeeze [b, t]\n");
}

TEST(ConvolveRows, SplitsAndJoinsChannels) {
  EXPECT_EQ(steps_after(convolve_rows, R"(x: f32[b, 16, t]
      w: f32[16, 16, 3] = const
      sizes: i64[2] = const [8, 8]
      a = Conv(x, w) pads=[1, 1]
      p, q = Split(a, sizes) axis=1
      j = Concat(q, p) axis=1
      y = Conv(j, w) pads=[1, 1]
      return y)"),
            "Unsqueeze [b, 16, 1, t]\n"
            "Conv [b, 16, 1, t]\n"
            "Split [b, 8, 1, t]\n"
            "Concat [b, 16, 1, t]\n"
            "Conv [b, 16, 1, t]\n"
            "Squeeze [b, 16, t]\n");
}

TEST(ConvolveRows, LeavesASingleChannelAlone) {
  EXPECT_FALSE(changes(convolve_rows, R"(x: f32[b, 1, t]
      w: f32[64, 1, 15] = const
      y = Conv(x, w)
      return y)"));
}

TEST(ConvolveRows, LeavesPicturesAndComputedWeightsAlone) {
  EXPECT_FALSE(changes(convolve_rows, R"(x: f32[b, 4, h, t]
      w: f32[4, 4, 3, 3] = const
      y = Conv(x, w)
      return y)"));
  EXPECT_FALSE(changes(convolve_rows, R"(x: f32[b, 16, t]
      w: f32[16, 16, 3]
      y = Conv(x, w)
      return y)"));
  EXPECT_FALSE(changes(convolve_rows, R"(x: f16[b, 16, t]
      w: f16[16, 16, 3] = const
      y = Conv(x, w)
      return y)"));
}

// fold_axes

TEST(FoldAxes, PutsAxesOnAndTakesThemOffAtOnce) {
  EXPECT_EQ(steps_after(fold_axes, R"(x: f32[b, t]
      one: i64[1] = const [1]
      last: i64[1] = const [-1]
      two: i64[1] = const [2]
      a = Unsqueeze(x, last)
      c = Unsqueeze(a, one)
      r = Relu(c)
      s = Squeeze(r, one)
      y = Squeeze(s, two)
      return y)"),
            "Unsqueeze [b, 1, t, 1]\nRelu [b, 1, t, 1]\nSqueeze [b, t]\n");
}

TEST(FoldAxes, SlicesWithTheAxes) {
  const auto sliced = [](int axis) {
    return "x: f32[b, 4, 1, t]\ntwo: i64[1] = const [2]\nlast: i64[1] = const [" +
           std::to_string(axis) + R"(]
      start: i64[1] = const [-3]
      end: i64[1] = const [9223372036854775807]
      s = Squeeze(x, two)
      e = Slice(s, start, end, last)
      y = Unsqueeze(e, two)
      return y)";
  };
  EXPECT_EQ(steps_after(fold_axes, sliced(-1).c_str()), "Slice [b, 4, 1, 3]\n");
  EXPECT_FALSE(changes(fold_axes, sliced(2).c_str())) << "the axis is another one before";
}

TEST(FoldAxes, LeavesASingleOneAlone) {
  EXPECT_FALSE(changes(fold_axes, R"(x: f32[b, t]
      one: i64[1] = const [1]
      y = Unsqueeze(x, one)
      return y)"));
}

// output_by_phases

TEST(OutputByPhases, MakesSixteenSamplesAtOnce) {
  EXPECT_EQ(steps_after(output_by_phases, R"(x: f32[b, 16, 2, 32*t]
      w: f32[1, 16, 1, 7] = const
      c = Conv(x, w) pads=[0, 3, 0, 3]
      y = Tanh(c)
      return y)"),
            "Conv [b, 16, 2, 2*t]\n"
            "Tanh [b, 16, 2, 2*t]\n"
            "Transpose [b, 2, 2*t, 16]\n"
            "Unsqueeze [b, 1, 2, 2*t, 16]\n"
            "Reshape [b, 1, 2, 32*t]\n");
}

TEST(OutputByPhases, LeavesLengthsThatMayNotComeOutEven) {
  EXPECT_FALSE(changes(output_by_phases, R"(x: f32[b, 16, 1, 8*t]
      w: f32[1, 16, 1, 7] = const
      y = Conv(x, w) pads=[0, 3, 0, 3]
      return y)"));
  EXPECT_FALSE(changes(output_by_phases, R"(x: f32[b, 16, 1, 16*t]
      w: f32[1, 16, 1, 7] = const
      y = Conv(x, w)
      return y)"))
      << "without padding";
  EXPECT_FALSE(changes(output_by_phases, R"(x: f32[b, 16, 1, 16*t]
      w: f32[2, 16, 1, 7] = const
      y = Conv(x, w) pads=[0, 3, 0, 3]
      return y)"))
      << "two channels";
}

// upsample_by_phases

TEST(UpsampleByPhases, ConvolvesEachPhase) {
  EXPECT_EQ(steps_after(upsample_by_phases, R"(x: f32[b, 6, 1, t]
      w: f32[6, 3, 1, 8] = const
      y = ConvTranspose(x, w) strides=[1, 4] pads=[0, 2, 0, 2]
      return y)"),
            "Conv [b, 12, 1, t + 1]\n"
            "Transpose [b, 1, t + 1, 12]\n"
            "Reshape [b, 1, 4*t + 4, 3]\n"
            "Slice [b, 1, 4*t, 3]\n"
            "Transpose [b, 3, 1, 4*t]\n");
}

TEST(UpsampleByPhases, NeedsNoRows) {
  EXPECT_EQ(steps_after(upsample_by_phases, R"(x: f32[b, 6, t]
      w: f32[6, 3, 4] = const
      y = ConvTranspose(x, w) strides=[4]
      return y)"),
            "Conv [b, 12, t]\n"
            "Reshape [b, 3, 4, t]\n"
            "Transpose [b, 3, t, 4]\n"
            "Reshape [b, 3, 4*t]\n");
}

TEST(UpsampleByPhases, DoesNotComputeWholeStepsThatAreCutOff) {
  EXPECT_EQ(steps_after(upsample_by_phases, R"(x: f32[b, 6, 1, t]
      w: f32[6, 3, 1, 12] = const
      y = ConvTranspose(x, w) strides=[1, 4] pads=[0, 4, 0, 4]
      return y)"),
            "Conv [b, 12, 1, t]\n"
            "Transpose [b, 1, t, 12]\n"
            "Reshape [b, 1, 4*t, 3]\n"
            "Transpose [b, 3, 1, 4*t]\n");
}

TEST(UpsampleByPhases, LeavesKernelsThatWouldHaveManyEmptyTaps) {
  EXPECT_FALSE(changes(upsample_by_phases, R"(x: f32[b, 6, 1, t]
      w: f32[6, 3, 1, 5] = const
      y = ConvTranspose(x, w) strides=[1, 4]
      return y)"));
}

// tile_rows

constexpr const char* kUpsampled = R"(x: f32[b, 8, 1, t]
      up: f32[8, 4, 1, 8] = const
      w: f32[4, 4, 1, 3] = const
      active = LeakyRelu(x) alpha=0.1
      u = ConvTranspose(active, up) strides=[1, 4] pads=[0, 2, 0, 2]
      c = Conv(u, w) pads=[0, 1, 0, 1]
      d = Conv(c, w) pads=[0, 1, 0, 1]
      s = Add(u, d)
      y = Tanh(s)
      return y)";

std::int64_t at(const Dim& dim, std::int64_t t) {
  return dim.evaluate([&](std::string_view) { return t; }).value_or(-1);
}

// Channels are last where tiles are cut, activated and glued.
TEST(TileRows, CutsBeforeTheActivationAndGluesAtTheEnd) {
  const auto graph = after(tile_rows, kUpsampled);
  std::vector<std::string> ops;
  for (const Node& node : graph->nodes()) {
    if (node.output().dtype() != DType::kFloat32) continue;
    ops.push_back(node.op());
    if (!node.op().starts_with("Conv")) continue;
    const Dim rows = node.output().dim(2);
    EXPECT_EQ(at(rows, 31), 1);
    EXPECT_EQ(at(rows, 32), 2) << "what they overlap is a 16th";
    EXPECT_EQ(at(rows, 95), 2);
    EXPECT_EQ(at(rows, 96), 4);
    EXPECT_EQ(at(rows, 224), 8);
    EXPECT_EQ(at(rows, 100000), 8);
  }
  EXPECT_EQ(ops,
            (std::vector<std::string>{"Transpose", "Reshape", "Gather", "LeakyRelu", "Transpose",
                                      "ConvTranspose", "Conv", "Conv", "Add", "Tanh", "Transpose",
                                      "Reshape", "Gather", "Reshape", "Transpose"}));
  EXPECT_EQ(shape_text(graph->outputs()[0].second.shape()), "[b, 4, 1, 4*t]");
}

// One Gather takes the tiles of the first stage apart and makes those of the second.
TEST(TileRows, GivesEachStageTilesOfItsOwn) {
  const auto graph = after(tile_rows, R"(x: f32[b, 8, 1, t]
      up: f32[8, 8, 1, 8] = const
      w: f32[8, 8, 1, 3] = const
      u = ConvTranspose(x, up) strides=[1, 4] pads=[0, 2, 0, 2]
      c = Conv(u, w) pads=[0, 1, 0, 1]
      d = Conv(c, w) pads=[0, 1, 0, 1]
      active = LeakyRelu(d) alpha=0.1
      v = ConvTranspose(active, up) strides=[1, 4] pads=[0, 2, 0, 2]
      e = Conv(v, w) pads=[0, 1, 0, 1]
      y = Conv(e, w) pads=[0, 1, 0, 1]
      return y)");
  std::vector<std::string> ops;
  std::vector<std::int64_t> rows;  // of 40 steps
  for (const Node& node : graph->nodes()) {
    if (node.output().dtype() != DType::kFloat32) continue;
    ops.push_back(node.op());
    if (node.op().starts_with("Conv")) rows.push_back(at(node.output().dim(2), 40));
  }
  EXPECT_EQ(std::ranges::count(ops, "Gather"), 3);
  EXPECT_EQ(rows, (std::vector<std::int64_t>(6, 2)));
  EXPECT_EQ(shape_text(graph->outputs()[0].second.shape()), "[b, 8, 1, 16*t]");
}

TEST(TileRows, LeavesManyChannelsAndSeveralEnds) {
  EXPECT_FALSE(changes(tile_rows, R"(x: f32[b, 8, 1, t]
      up: f32[8, 256, 1, 8] = const
      w: f32[256, 256, 1, 3] = const
      u = ConvTranspose(x, up) strides=[1, 4] pads=[0, 2, 0, 2]
      c = Conv(u, w) pads=[0, 1, 0, 1]
      y = Conv(c, w) pads=[0, 1, 0, 1]
      return y)"));
  EXPECT_FALSE(changes(tile_rows, R"(x: f32[b, 8, 1, t]
      up: f32[8, 4, 1, 8] = const
      w: f32[4, 4, 1, 3] = const
      u = ConvTranspose(x, up) strides=[1, 4] pads=[0, 2, 0, 2]
      c = Conv(u, w) pads=[0, 1, 0, 1]
      y = Conv(c, w) pads=[0, 1, 0, 1]
      return y, u)"));
  EXPECT_FALSE(changes(tile_rows, R"(x: f32[b, 8, 1, t]
      up: f32[8, 4, 1, 7] = const
      w: f32[4, 4, 1, 3] = const
      u = ConvTranspose(x, up) strides=[1, 4] pads=[0, 2, 0, 2]
      c = Conv(u, w) pads=[0, 1, 0, 1]
      y = Conv(c, w) pads=[0, 1, 0, 1]
      return y)"))
      << "a sample less than the rate";
}

// cut_before_transposes

// A size of the Transpose is read behind a Squeeze, as the end of the Slice.
constexpr const char* kCutBehind = R"(x: f32[b, 1, t, 16]
      gone: i64[1] = const [2]
      one: i64[1] = const [1]
      axis: i64[1] = const [-1]
      y = Transpose(x) perm=[0, 3, 1, 2]
      row = Squeeze(y, gone)
      size = Shape(row) start=2 end=3
      end = Sub(size, one)
      part = Slice(y, one, end, axis)
      return part)";

TEST(CutBeforeTransposes, ReadsSizesAndCutsBeforeATranspose) {
  const auto graph = parse_graph(kCutBehind);
  const std::string type = print(graph->outputs()[0].second.type());
  ASSERT_TRUE(cut_before_transposes(*graph));
  drop_dead_nodes(*graph);
  check(*graph);
  EXPECT_EQ(print(graph->outputs()[0].second.type()), type);
  std::vector<std::string> ops;
  for (const Node& node : graph->nodes()) ops.push_back(node.op());
  EXPECT_EQ(ops, (std::vector<std::string>{"Shape", "Sub", "Slice", "Transpose"}));
  EXPECT_EQ(integer_of(graph->nodes()[0], "start", -1), 2) << "where the time is in x";
  EXPECT_EQ(int64_values(*graph->nodes()[2].input(3).constant()), (std::vector<std::int64_t>{2}));
}

TEST(CutBeforeTransposes, GivesTheSame) {
  NEEDS_RUNTIME();
  const auto graph = parse_graph(kCutBehind);
  ASSERT_TRUE(cut_before_transposes(*graph));
  const Session before =
      Session::from_bytes(Blob::own(onnx_bytes(*parse_graph(kCutBehind))), "before");
  const Session after = Session::from_bytes(Blob::own(onnx_bytes(*graph)), "after");
  for (const std::int64_t t : {3, 8}) {
    std::vector<float> numbers(static_cast<std::size_t>(2 * t * 16));
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    const Tensor x = tensor_of({2, 1, t, 16}, numbers);
    const Tensor wanted = before.run({{"x", x}}).begin()->second;
    const Tensor given = after.run({{"x", x}}).begin()->second;
    EXPECT_EQ(given.shape, (std::vector<std::int64_t>{2, 16, 1, t - 2}));
    EXPECT_TRUE(is_equal(given, wanted));
  }
}

TEST(CutBeforeTransposes, LeavesATransposeThatIsUsedWhole) {
  EXPECT_FALSE(changes(cut_before_transposes, R"(x: f32[b, t, 16]
      one: i64[1] = const [1]
      end: i64[1] = const [-1]
      axis: i64[1] = const [2]
      y = Transpose(x) perm=[0, 2, 1]
      part = Slice(y, one, end, axis)
      return part, y)"));
  EXPECT_FALSE(changes(cut_before_transposes, R"(x: f32[b, t, 16]
      size = Shape(x) start=1 end=2
      return size)"));
}

// activate_in_blocks

TEST(ActivateInBlocks, LetsConvolutionsThatChangeNothingTakeActivations) {
  const auto graph = after(activate_in_blocks, R"(x: f32[b, 16, 1, t]
      one: i64[1] = const [1]
      end: i64[1] = const [1000]
      axis: i64[1] = const [3]
      w: f32[16, 16, 1, 3] = const
      start = Slice(x, one, end, axis)
      a = LeakyRelu(start) alpha=0.1
      c = Conv(a, w) pads=[0, 1, 0, 1]
      s = Add(c, start)
      d = LeakyRelu(s) alpha=0.1
      y = Conv(d, w) pads=[0, 1, 0, 1]
      return y)");
  std::vector<std::string> ops;
  for (const Node& node : graph->nodes()) ops.push_back(node.op());
  EXPECT_EQ(ops, (std::vector<std::string>{"Slice", "Conv", "Conv", "LeakyRelu", "Conv", "Add",
                                           "Conv", "LeakyRelu", "Conv"}));
}

TEST(ActivateInBlocks, LeavesWhatConvolutionsTakeAndWhatFillsNoBlocks) {
  EXPECT_FALSE(changes(activate_in_blocks, R"(x: f32[b, 16, 1, t]
      w: f32[16, 16, 1, 3] = const
      c = Conv(x, w)
      a = LeakyRelu(c) alpha=0.1
      y = Conv(a, w)
      return y)"));
  EXPECT_FALSE(changes(activate_in_blocks, R"(x: f32[b, 8, 1, t]
      w: f32[8, 8, 1, 3] = const
      c = Conv(x, w) pads=[0, 1, 0, 1]
      s = Add(c, c)
      a = LeakyRelu(s) alpha=0.1
      y = Conv(a, w)
      return y)"))
      << "8 channels";
  EXPECT_FALSE(changes(activate_in_blocks, R"(x: f32[b, 16, 1, t]
      w: f32[16, 16, 1, 3] = const
      c = Conv(x, w) pads=[0, 1, 0, 1]
      s = Add(c, c)
      y = LeakyRelu(s) alpha=0.1
      return y)"))
      << "no convolution follows";
}

// mask_in_blocks

// [16, 16, 1, 3], numbers up to a half.
std::string some_weights() {
  std::string text;
  for (int i = 0; i < 16 * 16 * 3; ++i)
    text += cat(i == 0 ? "" : ", ", static_cast<double>(i * 37 % 101 - 50) / 100);
  return text;
}

// Two convolutions with a mask between them: a step is there where its number is above 0.
std::string masked_convolutions(const std::string& between, const std::string& mask_of = "there",
                                const std::string& out = "return y") {
  return cat(R"(x: f32[b, 16, 1, t]
      numbers: f32[b, t]
      w: f32[16, 16, 1, 3] = const [)",
             some_weights(), R"(]
      zero: f32[] = const [0]
      axes: i64[2] = const [1, 2]
      flags = Greater(numbers, zero)
      there = Cast(flags) to="float32"
      mask = Unsqueeze()",
             mask_of, R"(, axes)
      c = Conv(x, w) pads=[0, 1, 0, 1]
      )",
             between, R"(
      y = Conv(m, w) pads=[0, 1, 0, 1]
      )",
             out);
}

constexpr const char* kMasked = "r = Relu(c)\nm = Mul(r, mask)";

TEST(MaskInBlocks, AddsWhatLeavesNothingOfMaskedSteps) {
  const auto graph = after(mask_in_blocks, masked_convolutions(kMasked).c_str());
  EXPECT_EQ(steps_of(*graph),
            "Greater [b, t]\nCast [b, t]\nUnsqueeze [b, 1, 1, t]\nConv [b, 16, 1, t]\n"
            "Conv [b, 16, 1, t]\nAdd [b, 16, 1, t]\nRelu [b, 16, 1, t]\nConv [b, 16, 1, t]\n");
  EXPECT_TRUE(
      changes(mask_in_blocks, masked_convolutions("r = Relu(c)\nm = Mul(mask, r)").c_str()));
}

TEST(MaskInBlocks, ComputesTheSame) {
  NEEDS_RUNTIME();
  const std::string text = masked_convolutions(kMasked);
  const auto y_of = [](const Graph& graph) {
    std::vector<float> x;
    for (int i = 0; i < 2 * 16 * 7; ++i) x.push_back(static_cast<float>(i * 29 % 61 - 30) / 30);
    const Tensor numbers = tensor_of({2, 7}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0});
    return Session::from_bytes(Blob::own(onnx_bytes(graph)), "test")
        .run({{"x", tensor_of({2, 16, 1, 7}, x)}, {"numbers", numbers}})
        .at("y");
  };
  const Tensor plain = y_of(*parse_graph(text));
  EXPECT_NE(to_float32(plain)[0], 0);
  EXPECT_TRUE(is_equal(y_of(*after(mask_in_blocks, text.c_str())), plain));
}

TEST(MaskInBlocks, LeavesWhatIsNoMaskBetweenConvolutions) {
  const auto is_changed = [](const std::string& text) {
    return changes(mask_in_blocks, text.c_str());
  };
  EXPECT_FALSE(is_changed(masked_convolutions(kMasked, "numbers"))) << "not flags";
  EXPECT_FALSE(is_changed(masked_convolutions("m = Mul(c, mask)"))) << "no activation";
  EXPECT_FALSE(is_changed(masked_convolutions("r = LeakyRelu(c)\nm = Mul(r, mask)")))
      << "something is left below zero";
  EXPECT_FALSE(is_changed(masked_convolutions(kMasked, "there", "return y, r")))
      << "used elsewhere";
  EXPECT_FALSE(is_changed(masked_convolutions(kMasked, "there", "return y, m"))) << "an output";
  EXPECT_FALSE(is_changed(masked_convolutions(kMasked, "there", "z = Tanh(m)\nreturn y, z")))
      << "which leaves the blocks anyway";
}

// All of them

TEST(Forms, AreLeftOutWherePlainGraphsAreAskedFor) {
  constexpr const char* kText = R"(x: f32[b, 16, t]
      w: f32[16, 16, 3] = const
      y = Conv(x, w)
      return y)";
  const auto plain = parse_graph(kText);
  prepare(*plain, {17, true});
  EXPECT_EQ(steps_of(*plain), "Conv [b, 16, t - 2]\n");
  const auto fast = parse_graph(kText);
  prepare(*fast, {17, false});
  EXPECT_EQ(steps_of(*fast),
            "Unsqueeze [b, 16, 1, t]\nConv [b, 16, 1, t - 2]\nSqueeze [b, 16, t - 2]\n");
}

}  // namespace
}  // namespace voxport::forms_test
