// Generators with an inverse STFT: their stages are those of hifigan_test.cpp, what follows is in
// istft_test.cpp and subbands_test.cpp. Here is how they meet, in pieces too. What the whole
// computes is compared with what PyTorch computed in tests/export.
#include "arch/blocks/istft_generator.h"

#include <algorithm>

#include "arch/blocks/receptive_field.h"
#include "tests/arch/made_up.h"
#include "tests/arch/made_up_generator.h"
#include "tests/cases.h"
#include "tests/pieces.h"

namespace voxport::istft::istft_generator_test {
namespace {

// After rounding to 16 bits, samples are at most one step apart; with weights at random they are up
// to 8 in size.
constexpr double kTolerance = 1e-5;

struct Sizes {
  const char* name;
  hifigan::Config stages;
  Config config;
};

hifigan::Config stages(std::vector<std::int64_t> rates, std::vector<std::int64_t> kernels) {
  hifigan::Config config;
  config.in_channels = 5;
  config.upsample_initial_channel = std::int64_t{4} << rates.size();
  config.upsample_rates = std::move(rates);
  config.upsample_kernel_sizes = std::move(kernels);
  config.resblock_kernel_sizes = {3, 5};
  config.resblock_dilation_sizes = {{1, 2}, {2, 6}};
  return config;
}

// What is so fine that it is computed with context begins in the stages.
hifigan::Config fine_stages() { return stages({16, 16}, {32, 32}); }

const std::vector<Sizes>& all_sizes() {
  static const std::vector<Sizes> kSizes = {
      {"one_band", stages({4, 4}, {16, 16}), {Kind::kOneBand, 16, 4, 1, 0}},
      {"multi_band", stages({4, 4}, {16, 16}), {Kind::kMultiBand, 16, 4, 4, kPqmfTaps}},
      {"multi_stream", stages({4, 4}, {16, 16}), {Kind::kMultiStream, 16, 4, 4, 63}},
      {"multi_stream_of_few_taps", stages({4, 2}, {8, 4}), {Kind::kMultiStream, 8, 2, 3, 5}},
      {"long_frames", stages({2}, {4}), {Kind::kOneBand, 60, 7, 1, 0}},
      {"odd_differences", stages({3, 2}, {6, 5}), {Kind::kMultiBand, 8, 2, 2, kPqmfTaps}},
      {"fine_stages", fine_stages(), {Kind::kMultiBand, 6, 3, 2, kPqmfTaps}},
  };
  return kSizes;
}

MadeUpWeights weights_for(const Sizes& sizes) {
  MadeUpWeights weights;
  hifigan::add_stages(weights, sizes.stages);
  hifigan::add_conv(weights,
                    sizes.config.kind == Kind::kOneBand ? "conv_post" : "subband_conv_post",
                    sizes.config.subbands * (sizes.config.n_fft + 2),
                    sizes.stages.channels(sizes.stages.upsample_rates.size() - 1), 7);
  if (sizes.config.kind != Kind::kMultiStream) return weights;
  const std::int64_t n = sizes.config.subbands;
  weights.add_random("multistream_conv_post.weight", {1, n, sizes.config.taps});
  weights.add_random("updown_filter", {n, n, n});
  return weights;
}

Generator generator_of(const Sizes& sizes) {
  const Object dict = weights_for(sizes).dict();
  const Weights w(dict);
  Generator generator(w, sizes.stages, sizes.config);
  w.finish("a generator");
  return generator;
}

std::unique_ptr<Graph> graph_of(const Sizes& sizes, std::int64_t* first_frames = nullptr) {
  auto graph = std::make_unique<Graph>();
  const Value x = graph->add_input(
      "x",
      type_of(DType::kFloat32, {Dim::symbol("b"), sizes.stages.in_channels, Dim::symbol("t")}));
  std::optional<BatchCaches> caches;
  if (first_frames) caches.emplace(x);
  graph->add_output("output", generator_of(sizes)(x, std::nullopt, caches ? &*caches : nullptr));
  if (caches) {
    caches->add_state();
    *first_frames = caches->first_frames();
  }
  return graph;
}

// The same for rows with places of their own.
std::unique_ptr<Graph> graph_of_rows(const Sizes& sizes) {
  auto graph = std::make_unique<Graph>();
  const Value x = graph->add_input(
      "x",
      type_of(DType::kFloat32, {Dim::symbol("b"), sizes.stages.in_channels, Dim::symbol("t")}));
  const Generator generator = generator_of(sizes);
  RowCaches rows(x, generator.receptive_field());
  const auto [output, lengths] =
      rows.samples_and_lengths(generator(rows.sequence(), std::nullopt, &rows));
  graph->add_output("output", output);
  graph->add_output("lengths", lengths);
  rows.add_state();
  return graph;
}

// In the form in which it is written.
Session written(std::unique_ptr<Graph> graph) {
  prepare(*graph, {});
  return session_of(*graph);
}

class IstftGenerator : public RunsGraphs, public testing::WithParamInterface<Sizes> {};

void PrintTo(const Sizes& sizes, std::ostream* out) { *out << sizes.name; }

INSTANTIATE_TEST_SUITE_P(All, IstftGenerator, testing::ValuesIn(all_sizes()),
                         [](const auto& test) { return std::string(test.param.name); });

using Widths = std::vector<std::int64_t>;

TEST_P(IstftGenerator, GivesInPiecesWhatItGivesAtOnce) {
  const Sizes& sizes = GetParam();
  std::int64_t first = 0;
  const Session plain = session_of(*graph_of(sizes));
  const Session whole = written(graph_of(sizes));
  const Session stream = written(graph_of(sizes, &first));
  const auto expect_same = [&](std::int64_t frames, const Widths& widths) {
    const Tensor x = made_up_tensor({2, sizes.stages.in_channels, frames}, 11);
    const Tensor expected = plain.run({{"x", x}}).at("output");
    EXPECT_TRUE(is_close(whole.run({{"x", x}}).at("output"), expected, kTolerance)) << frames;
    EXPECT_TRUE(is_close(output_in_pieces(stream, "x", x, widths), expected, kTolerance)) << frames;
  };
  for (const std::int64_t frames : {1, 2, 3, 11}) expect_same(frames, {});
  for (const Widths& widths : {Widths{first}, Widths{first, 1, 1, 1, 1, 2, 7},
                               Widths{first + 3, 5, 1, 5}, Widths{first + 45, 45}})
    expect_same(first + 107, widths);
  expect_same(first + 17, Widths(40, std::max<std::int64_t>(first, 1)));
}

TEST_P(IstftGenerator, GivesTheSameInRowsWithPlacesOfTheirOwn) {
  const Sizes& sizes = GetParam();
  const Session plain = session_of(*graph_of(sizes));
  const Session stream = written(graph_of_rows(sizes));
  std::vector<RowSequence> rows;
  for (const std::int64_t frames : {19, 1, 60, 2, 7, 26})
    rows.push_back({made_up_tensor({1, sizes.stages.in_channels, frames}, 12), {}});
  for (const std::int64_t width : {1, 7, 45}) {
    const auto found = samples_of_rows(stream, "x", rows, width, 3);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Tensor expected = plain.run({{"x", rows[i].sequence}}).at("output");
      ASSERT_EQ(static_cast<std::int64_t>(found[i].size()), expected.numel());
      EXPECT_TRUE(is_close(tensor_of(expected.shape, found[i]), expected, kTolerance))
          << "row " << i << " in pieces of " << width;
    }
  }
}

TEST_P(IstftGenerator, KnowsItsReceptiveField) {
  const Sizes& sizes = GetParam();
  const ReceptiveField told = receptive_field_of(
      *graph_of(sizes), "x", "output", sizes.stages.hop_length() * sizes.config.stretch());
  const ReceptiveField field = generator_of(sizes).receptive_field();
  EXPECT_EQ(told.left, field.left);
  EXPECT_EQ(told.right, field.right);
}

// Samples change when any frame does that is in their field, and no others.
TEST_P(IstftGenerator, HearsAsFarAsItTells) {
  const Sizes& sizes = GetParam();
  const ReceptiveField field = generator_of(sizes).receptive_field();
  const Session session = session_of(*graph_of(sizes));
  const std::int64_t at = field.right + 3;
  const std::int64_t frames = at + field.left + 4;
  const Tensor x = made_up_tensor({1, sizes.stages.in_channels, frames}, 12);
  std::vector<float> other = to_float32(x);
  for (std::int64_t c = 0; c < sizes.stages.in_channels; ++c)
    other[static_cast<std::size_t>(c * frames + at)] += 1;
  const auto samples_of = [&](const Tensor& given) {
    return to_float32(session.run({{"x", given}}).at("output"));
  };
  const std::vector<float> before = samples_of(x);
  const std::vector<float> after = samples_of(tensor_of(x.shape, other));
  const auto hop = static_cast<std::size_t>(sizes.stages.hop_length() * sizes.config.stretch());
  std::vector<std::int64_t> changed;
  for (std::size_t i = 0; i < hop * static_cast<std::size_t>(frames); ++i)
    if (before[i] != after[i]) changed.push_back(static_cast<std::int64_t>(i / hop));
  ASSERT_FALSE(changed.empty());
  EXPECT_GE(changed.front(), at - field.right);
  EXPECT_LE(changed.back(), at + field.left);
  EXPECT_LE(changed.front(), at - field.right + 1) << "the ends of windows and filters are faint";
  EXPECT_GE(changed.back(), at + field.left - 1);
}

TEST(IstftGeneratorGraph, IsThePaper) {
  auto ops = ops_of(*graph_of(all_sizes()[1]));
  EXPECT_EQ(ops["ConvTranspose"], 2 + 2 + 1) << "stages, the inverse STFT, PQMF";
  EXPECT_EQ(ops["Conv"], 1 + 2 * 2 * 2 + 1);
  EXPECT_EQ(ops["Exp"], 1);
  EXPECT_EQ(ops["Sin"], 2);
  EXPECT_EQ(ops["Cos"], 1);
  EXPECT_EQ(ops["Pad"], 1);
  EXPECT_EQ(ops["Reshape"], 2);
  EXPECT_EQ(ops["Tanh"], 0);
}

}  // namespace
}  // namespace voxport::istft::istft_generator_test
