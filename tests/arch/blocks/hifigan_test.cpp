// The generator, as it is written and after each of the passes that ONNX Runtime's forms come from,
// against plain loops in double precision.
#include "arch/blocks/hifigan.h"

#include <algorithm>
#include <cmath>

#include "arch/blocks/receptive_field.h"
#include "base/text.h"
#include "graph/ops.h"
#include "tests/arch/made_up.h"
#include "tests/arch/made_up_generator.h"
#include "tests/cases.h"
#include "tests/pieces.h"

namespace voxport::hifigan::hifigan_test {
namespace {

// Samples lie between -1 and 1; a dozen layers in float32, whatever the order of the sums.
constexpr double kTolerance = 2e-6;

// The reference: hifi-gan/models.py, Generator, as one would write it with nothing but loops.

using Row = std::vector<double>;
using Sequence = std::vector<Row>;  // [c][t]

std::size_t length_of(const Sequence& x) { return x[0].size(); }

Sequence conv1d(const Sequence& x, const Tensor& weight, const Tensor* bias,
                std::int64_t dilation) {
  const std::vector<float> w = to_float32(weight);  // [out, in, kernel]
  const std::int64_t kernel = weight.shape[2];
  const std::int64_t padding = (kernel - 1) * dilation / 2;
  const auto t = static_cast<std::int64_t>(length_of(x));
  Sequence y(static_cast<std::size_t>(weight.shape[0]), Row(length_of(x), 0.0));
  for (std::size_t o = 0; o < y.size(); ++o) {
    for (std::int64_t s = 0; s < t; ++s) {
      double sum = bias ? to_float32(*bias)[o] : 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::int64_t k = 0; k < kernel; ++k) {
          const std::int64_t at = s + k * dilation - padding;
          if (at < 0 || at >= t) continue;
          const std::size_t tap =
              (o * x.size() + i) * static_cast<std::size_t>(kernel) + static_cast<std::size_t>(k);
          sum += w[tap] * x[i][static_cast<std::size_t>(at)];
        }
      }
      y[o][static_cast<std::size_t>(s)] = sum;
    }
  }
  return y;
}

Sequence conv_transpose1d(const Sequence& x, const Tensor& weight, const Tensor& bias,
                          std::int64_t rate) {
  const std::vector<float> w = to_float32(weight);  // [in, out, kernel]
  const std::int64_t kernel = weight.shape[2];
  const std::int64_t padding = (kernel - rate) / 2;
  const auto t = static_cast<std::int64_t>(length_of(x));
  const std::int64_t samples = (t - 1) * rate - 2 * padding + kernel;
  const auto outs = static_cast<std::size_t>(weight.shape[1]);
  Sequence y;
  for (std::size_t o = 0; o < outs; ++o)
    y.emplace_back(static_cast<std::size_t>(samples), to_float32(bias)[o]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t o = 0; o < outs; ++o) {
      for (std::int64_t s = 0; s < t; ++s) {
        for (std::int64_t k = 0; k < kernel; ++k) {
          const std::int64_t at = s * rate + k - padding;
          if (at < 0 || at >= samples) continue;
          const std::size_t tap =
              (i * outs + o) * static_cast<std::size_t>(kernel) + static_cast<std::size_t>(k);
          y[o][static_cast<std::size_t>(at)] += w[tap] * x[i][static_cast<std::size_t>(s)];
        }
      }
    }
  }
  return y;
}

Sequence each(Sequence x, const std::function<double(double)>& function) {
  for (Row& row : x)
    for (double& value : row) value = function(value);
  return x;
}

Sequence leaky(const Sequence& x, double slope) {
  return each(x, [slope](double value) { return value >= 0 ? value : value * slope; });
}

Sequence plus(Sequence x, const Sequence& y) {
  for (std::size_t c = 0; c < x.size(); ++c)
    for (std::size_t t = 0; t < x[c].size(); ++t) x[c][t] += y[c][t];
  return x;
}

class Reference {
 public:
  Reference(const MadeUpWeights& weights, const Config& config)
      : weights_(weights), config_(config) {}

  Row samples(Sequence x, const Sequence* g) const {
    x = conv(x, "conv_pre", 1);
    if (g) {
      const Sequence condition = conv(*g, "cond", 1);
      for (std::size_t c = 0; c < x.size(); ++c)
        for (double& value : x[c]) value += condition[c][0];
    }
    for (std::size_t i = 0; i < config_.upsample_rates.size(); ++i) {
      x = conv_transpose1d(leaky(x, 0.1), weights_.at(cat("ups.", i, ".weight")),
                           weights_.at(cat("ups.", i, ".bias")), config_.upsample_rates[i]);
      x = mean_of_resblocks(x, i);
    }
    const Tensor* bias = has_bias() ? &weights_.at("conv_post.bias") : nullptr;
    x = conv1d(leaky(x, 0.01), weights_.at("conv_post.weight"), bias, 1);
    return each(x, [](double value) { return std::tanh(value); })[0];
  }

 private:
  bool has_bias() const {
    const Object dict = weights_.dict();
    return dict.find("conv_post.bias") != nullptr;
  }

  Sequence conv(const Sequence& x, const std::string& name, std::int64_t dilation) const {
    return conv1d(x, weights_.at(name + ".weight"), &weights_.at(name + ".bias"), dilation);
  }

  Sequence mean_of_resblocks(const Sequence& x, std::size_t stage) const {
    const std::size_t count = config_.resblock_kernel_sizes.size();
    Sequence sum;
    for (std::size_t j = 0; j < count; ++j) {
      const Sequence y = resblock(x, stage * count + j, config_.resblock_dilation_sizes[j]);
      sum = sum.empty() ? y : plus(sum, y);
    }
    return each(sum, [count](double value) { return value / static_cast<double>(count); });
  }

  Sequence resblock(Sequence x, std::size_t index,
                    const std::vector<std::int64_t>& dilations) const {
    for (std::size_t i = 0; i < dilations.size(); ++i) {
      const std::string name =
          cat("resblocks.", index, config_.is_resblock1 ? ".convs1." : ".convs.", i);
      Sequence xt = conv(leaky(x, 0.1), name, dilations[i]);
      if (config_.is_resblock1)
        xt = conv(leaky(xt, 0.1), cat("resblocks.", index, ".convs2.", i), 1);
      x = plus(xt, x);
    }
    return x;
  }

  const MadeUpWeights& weights_;
  const Config& config_;
};

// Weights for a generator of these sizes.

MadeUpWeights weights_for(const Config& config, bool has_last_bias = false) {
  MadeUpWeights weights;
  add_stages(weights, config);
  weights.add_random("conv_post.weight", {1, config.channels(config.upsample_rates.size() - 1), 7});
  if (has_last_bias) weights.add_random("conv_post.bias", {1});
  return weights;
}

// The generator as a graph: x [b, in, t], and g [b, gin, 1] where there are speakers -> output.
// With `first_frames` it is one for pieces, and the least width of the first is put there.
std::unique_ptr<Graph> graph_of(const MadeUpWeights& weights, const Config& config,
                                std::int64_t* first_frames = nullptr) {
  const Object dict = weights.dict();
  const Weights w(dict);
  const Generator generator(w, config);
  w.finish("a generator");
  auto graph = std::make_unique<Graph>();
  const Dim b = Dim::symbol("b");
  const Value x =
      graph->add_input("x", type_of(DType::kFloat32, {b, config.in_channels, Dim::symbol("t")}));
  std::optional<Value> g;
  if (config.gin_channels != 0)
    g = graph->add_input("g", type_of(DType::kFloat32, {b, config.gin_channels, 1}));
  std::optional<BatchCaches> caches;
  if (first_frames) caches.emplace(x);
  graph->add_output("output", generator(x, g, caches ? &*caches : nullptr));
  if (caches) {
    caches->add_state();
    *first_frames = caches->first_frames();
  }
  return graph;
}

// The same for rows with places of their own, with the outputs that such a graph has.
std::unique_ptr<Graph> graph_of_rows(const MadeUpWeights& weights, const Config& config) {
  const Object dict = weights.dict();
  const Weights w(dict);
  const Generator generator(w, config);
  auto graph = std::make_unique<Graph>();
  const Dim b = Dim::symbol("b");
  const Value x =
      graph->add_input("x", type_of(DType::kFloat32, {b, config.in_channels, Dim::symbol("t")}));
  std::optional<Value> g;
  if (config.gin_channels != 0)
    g = graph->add_input("g", type_of(DType::kFloat32, {b, config.gin_channels, 1}));
  RowCaches rows(x, generator.receptive_field());
  const auto [output, lengths] = rows.samples_and_lengths(generator(rows.sequence(), g, &rows));
  graph->add_output("output", output);
  graph->add_output("lengths", lengths);
  rows.add_state();
  return graph;
}

Sequence sequence_of(const Tensor& tensor, std::int64_t row) {
  const std::vector<float> values = to_float32(part_of(tensor, 0, row, row + 1));
  const auto width = static_cast<std::size_t>(tensor.shape[2]);
  Sequence rows;
  for (std::size_t start = 0; start < values.size(); start += width)
    rows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(start),
                      values.begin() + static_cast<std::ptrdiff_t>(start + width));
  return rows;
}

// How far the graph is from the reference, at the worst, for two rows of so many frames: at once,
// or in pieces of these widths.
double distance(const Session& session, const MadeUpWeights& weights, const Config& config,
                std::int64_t frames, const std::vector<std::int64_t>* widths = nullptr) {
  const Tensor x = made_up_tensor({2, config.in_channels, frames}, 1000);
  const Tensor g = made_up_tensor({2, std::max<std::int64_t>(config.gin_channels, 1), 1}, 1001);
  Tensors inputs;
  if (config.gin_channels != 0) inputs["g"] = g;
  Tensor found;
  if (widths) {
    found = output_in_pieces(session, "x", x, *widths, inputs);
  } else {
    inputs["x"] = x;
    found = session.run(inputs).at("output");
  }
  std::vector<float> expected;
  for (std::int64_t row = 0; row < 2; ++row) {
    const Sequence g_row = sequence_of(g, row);
    const Row samples =
        Reference(weights, config)
            .samples(sequence_of(x, row), config.gin_channels != 0 ? &g_row : nullptr);
    expected.insert(expected.end(), samples.begin(), samples.end());
  }
  const std::vector<std::int64_t> shape = {2, 1, static_cast<std::int64_t>(expected.size()) / 2};
  EXPECT_EQ(found.shape, shape);
  if (found.shape != shape) return INFINITY;
  return largest_difference(found, tensor_of(shape, expected)).largest;
}

// Sizes that differ in what the rewrites look at.
struct Sizes {
  const char* name;
  Config config;
};

Config sizes(std::vector<std::int64_t> rates, std::vector<std::int64_t> kernels) {
  Config config;
  config.in_channels = 5;
  config.upsample_initial_channel = std::int64_t{4} << rates.size();
  config.upsample_rates = std::move(rates);
  config.upsample_kernel_sizes = std::move(kernels);
  config.resblock_kernel_sizes = {3, 5};
  config.resblock_dilation_sizes = {{1, 2}, {2, 6}};
  return config;
}

Config with_resblock1(Config config) {
  config.is_resblock1 = true;
  config.resblock_dilation_sizes = {{1, 3, 5}, {2, 1, 3}};
  return config;
}

Config with_speakers(Config config) {
  config.gin_channels = 3;
  return config;
}

// Channels that fill blocks of 16, which the passes look for.
Config wide(Config config) {
  config.upsample_initial_channel = std::int64_t{16} << config.upsample_rates.size();
  return config;
}

const std::vector<Sizes>& all_sizes() {
  static const std::vector<Sizes> kSizes = {
      {"twice_the_rate", sizes({8, 4, 2}, {16, 8, 4})},
      {"resblock1", with_resblock1(sizes({4, 4}, {8, 8}))},
      {"speakers", with_speakers(sizes({4, 4}, {8, 8}))},
      {"wide", wide(sizes({8, 2}, {16, 4}))},
      {"wide_resblock1", with_resblock1(wide(sizes({4, 4}, {8, 8})))},
      {"wide_speakers", with_speakers(wide(sizes({4, 4}, {12, 12})))},
      {"wide_odd_rates", wide(sizes({5, 3}, {11, 7}))},
      {"wide_odd_difference", wide(sizes({4, 3}, {7, 6}))},
      {"wide_far_from_a_multiple", wide(sizes({8, 2}, {10, 3}))},
      {"odd_rates", sizes({5, 3, 2}, {11, 7, 4})},
      {"odd_difference", sizes({4, 3}, {7, 6})},
      {"odd_differences", sizes({4, 2}, {9, 5})},
      {"as_long_as_the_rate", sizes({4, 4}, {4, 4})},
      {"thrice_the_rate", sizes({4, 4}, {12, 12})},
      {"far_from_a_multiple", sizes({8, 2}, {10, 3})},
      {"rate_of_one", sizes({1, 16}, {3, 32})},
      {"rate_of_one_of_even_kernel", sizes({1, 4}, {4, 8})},
      {"rate_of_one_of_kernel_one", sizes({1, 4}, {1, 8})},
      {"one_stage", sizes({16}, {32})},
  };
  return kSizes;
}

// Passes by name, of those that make a graph fast.
struct NamedForm {
  const char* name;
  std::vector<std::string_view> passes;
};

const std::vector<NamedForm>& all_forms() {
  static const std::vector<NamedForm> kForms = {
      {"plain", {}},
      {"gains", {"fold_gains"}},
      {"rows", {"convolve_rows"}},
      {"upsampling_by_phases", {"convolve_rows", "upsample_by_phases"}},
      {"tiles", {"convolve_rows", "tile_rows"}},
      {"tiles_by_phases", {"convolve_rows", "tile_rows", "output_by_phases", "upsample_by_phases"}},
      {"output_by_phases", {"convolve_rows", "output_by_phases"}},
      {"blocks", {"convolve_rows", "activate_in_blocks"}},
      {"what_is_written",
       {"fold_gains", "convolve_rows", "tile_rows", "output_by_phases", "upsample_by_phases",
        "activate_in_blocks"}},
  };
  return kForms;
}

// The graph after these passes.
std::unique_ptr<Graph> in_form(std::unique_ptr<Graph> graph, const NamedForm& form) {
  optimise(*graph);
  for (const Pass& pass : forms_for_onnxruntime()) {
    if (std::ranges::find(form.passes, pass.name) == form.passes.end()) continue;
    pass.run(*graph);
    optimise(*graph);
  }
  return graph;
}

class GeneratorForms : public RunsGraphs,
                       public testing::WithParamInterface<std::tuple<Sizes, NamedForm>> {};

void PrintTo(const Sizes& sizes, std::ostream* out) { *out << sizes.name; }
void PrintTo(const NamedForm& form, std::ostream* out) { *out << form.name; }

INSTANTIATE_TEST_SUITE_P(All, GeneratorForms,
                         testing::Combine(testing::ValuesIn(all_sizes()),
                                          testing::ValuesIn(all_forms())),
                         [](const auto& test) {
                           return cat(std::get<0>(test.param).name, "_",
                                      std::get<1>(test.param).name);
                         });

TEST_P(GeneratorForms, GiveWhatPlainLoopsGive) {
  const Config& config = std::get<0>(GetParam()).config;
  const MadeUpWeights weights = weights_for(config, config.gin_channels != 0);
  const Session session = session_of(*in_form(graph_of(weights, config), std::get<1>(GetParam())));
  for (const std::int64_t frames : {1, 2, 3, 4, 5, 11, 30, 61})
    EXPECT_LE(distance(session, weights, config, frames), kTolerance) << frames;
}

using Widths = std::vector<std::int64_t>;

TEST_P(GeneratorForms, GiveTheSameInPieces) {
  const Config& config = std::get<0>(GetParam()).config;
  const MadeUpWeights weights = weights_for(config, config.gin_channels != 0);
  std::int64_t first = 0;
  const Session session =
      session_of(*in_form(graph_of(weights, config, &first), std::get<1>(GetParam())));
  const Widths whole;  // an only piece may be of any length
  for (const std::int64_t frames : {1, 2, 3, 11})
    EXPECT_LE(distance(session, weights, config, frames, &whole), kTolerance) << frames;
  const std::int64_t frames = first + 17;
  for (const Widths& widths :
       {Widths{first}, Widths{first, 1, 1, 1, 1, 2, 7}, Widths{first + 3, 5, 1, 5}})
    EXPECT_LE(distance(session, weights, config, frames, &widths), kTolerance) << widths[0];
}

// Rows that begin and end at times of their own, some within one piece.
std::vector<RowSequence> rows_for(const Config& config) {
  std::vector<RowSequence> rows;
  for (const std::int64_t frames : {19, 1, 33, 2, 7, 26}) {
    RowSequence& row = rows.emplace_back();
    row.sequence = made_up_tensor({1, config.in_channels, frames}, 2000);
    if (config.gin_channels != 0)
      row.others["g"] = made_up_tensor({1, config.gin_channels, 1}, 2001);
  }
  return rows;
}

TEST_P(GeneratorForms, GiveTheSameInRowsWithPlacesOfTheirOwn) {
  const std::string_view form = std::get<1>(GetParam()).name;
  if (form != "plain" && form != "what_is_written") return;  // pieces differ in no other
  const Config& config = std::get<0>(GetParam()).config;
  const MadeUpWeights weights = weights_for(config, config.gin_channels != 0);
  const Session session =
      session_of(*in_form(graph_of_rows(weights, config), std::get<1>(GetParam())));
  const std::vector<RowSequence> rows = rows_for(config);
  for (const std::int64_t width : {1, 7, 45}) {
    const auto found = samples_of_rows(session, "x", rows, width, 3);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Sequence g =
          config.gin_channels != 0 ? sequence_of(rows[i].others.at("g"), 0) : Sequence();
      const Row expected = Reference(weights, config)
                               .samples(sequence_of(rows[i].sequence, 0), g.empty() ? nullptr : &g);
      ASSERT_EQ(found[i].size(), expected.size()) << "row " << i << " in pieces of " << width;
      double worst = 0;
      for (std::size_t j = 0; j < expected.size(); ++j)
        worst = std::max(worst, std::abs(static_cast<double>(found[i][j]) - expected[j]));
      EXPECT_LE(worst, kTolerance) << "row " << i << " in pieces of " << width;
    }
  }
}

TEST(ReceptiveField, IsWhatTheNodesTell) {
  for (const Sizes& sizes : all_sizes()) {
    const auto graph = graph_of(weights_for(sizes.config), sizes.config);
    const ReceptiveField told =
        receptive_field_of(*graph, "x", "output", sizes.config.hop_length());
    const ReceptiveField expected = receptive_field(sizes.config);
    EXPECT_EQ(told.left, expected.left) << sizes.name;
    EXPECT_EQ(told.right, expected.right) << sizes.name;
  }
}

// What the graph looks like.

std::map<std::string, int> ops_in(const Config& config) {
  return ops_of(*graph_of(weights_for(config), config));
}

std::unique_ptr<Graph> written(const Config& config) {
  auto graph = graph_of(weights_for(config), config);
  prepare(*graph, {});
  return graph;
}

// The largest stride of a convolution.
std::int64_t stride_in(const Config& config) {
  const auto graph = written(config);
  std::int64_t largest = 1;
  for (const Node& node : graph->nodes()) {
    const Attribute* strides = node.op() == "Conv" ? node.find("strides") : nullptr;
    if (strides) largest = std::max(largest, std::get<std::vector<std::int64_t>>(*strides).back());
  }
  return largest;
}

// Only tiles are as long as the shorter of two lengths.
bool is_tiled(const Config& config) { return ops_of(*written(config))["Min"] > 0; }

TEST(GeneratorGraph, IsThePaper) {
  auto ops = ops_in(sizes({8, 4}, {16, 8}));
  EXPECT_EQ(ops["ConvTranspose"], 2);
  EXPECT_EQ(ops["Conv"], 1 + 2 * 2 * 2 + 1);
  EXPECT_EQ(ops["Div"], 2);
  for (const char* op : {"Reshape", "Transpose", "Slice", "Concat", "Min", "Squeeze"})
    EXPECT_EQ(ops[op], 0) << op;
}

TEST(GeneratorGraph, IsWrittenWithoutTransposedConvolutions) {
  EXPECT_EQ(ops_of(*written(wide(sizes({8, 4}, {16, 8}))))["ConvTranspose"], 0);
  EXPECT_EQ(ops_of(*written(wide(sizes({8}, {10}))))["ConvTranspose"], 1) << "10 of 16 taps";
}

TEST(GeneratorGraph, MakesManySamplesAtOnceWhereTheyComeOutEven) {
  EXPECT_EQ(stride_in(wide(sizes({8, 4}, {16, 8}))), 16);
  EXPECT_EQ(stride_in(wide(sizes({5, 3, 2}, {11, 7, 4}))), 1) << "a hop of 30";
  EXPECT_EQ(stride_in(wide(sizes({4, 4}, {7, 8}))), 1) << "a sample more than the hop";
}

TEST(GeneratorGraph, IsTiledWhereChannelsAreFew) {
  Config config = sizes({8, 4}, {16, 8});
  config.upsample_initial_channel = 256;
  EXPECT_TRUE(is_tiled(config)) << "64 channels in the last stage";
  config.upsample_initial_channel = 512;
  EXPECT_TRUE(is_tiled(config)) << "128 channels in the last stage";
  config.upsample_initial_channel = 1024;
  EXPECT_FALSE(is_tiled(config)) << "256 channels in the last stage";
}

// What lies around a frame.

TEST(HifiganConfig, TellsTheHop) {
  EXPECT_EQ(sizes({8, 8, 4}, {16, 16, 8}).hop_length(), 256);
  EXPECT_TRUE(sizes({8, 8, 4}, {16, 16, 8}).is_exact());
  EXPECT_TRUE(sizes({4, 3}, {8, 5}).is_exact());
  EXPECT_FALSE(sizes({4, 3}, {8, 6}).is_exact());
}

// Without biases nothing comes out of nothing, and where a single frame goes in, all samples it has
// anything to do with are other than 0.
MadeUpWeights without_biases(const Config& config) {
  MadeUpWeights quiet;
  const Object dict = weights_for(config).dict();
  for (const Entry& entry : dict.entries()) {
    const Tensor& tensor = entry.value.tensor();
    if (tensor.shape.size() > 1) {
      quiet.add(entry.key, tensor);
    } else {
      quiet.add(entry.key, tensor_of(tensor.shape,
                                     std::vector<float>(static_cast<std::size_t>(tensor.numel()))));
    }
  }
  return quiet;
}

class ReceptiveFieldOf : public RunsGraphs, public testing::WithParamInterface<Sizes> {};

INSTANTIATE_TEST_SUITE_P(All, ReceptiveFieldOf, testing::ValuesIn(all_sizes()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(ReceptiveFieldOf, AFrameIsAsWideAsOneCanHear) {
  Config config = GetParam().config;
  config.gin_channels = 0;
  const ReceptiveField field = receptive_field(config);
  const std::int64_t heard = field.right + 2;
  const std::int64_t frames = heard + field.left + 3;
  std::vector<float> x(static_cast<std::size_t>(config.in_channels * frames), 0.0F);
  for (std::int64_t c = 0; c < config.in_channels; ++c)
    x[static_cast<std::size_t>(c * frames + heard)] = 1;
  const Session session = session_of(*graph_of(without_biases(config), config));
  const std::vector<float> samples =
      to_float32(session.run({{"x", tensor_of({1, config.in_channels, frames}, x)}}).at("output"));
  const auto hop = static_cast<std::size_t>(config.hop_length());
  std::vector<std::int64_t> sounding;
  for (std::size_t i = 0; i < hop * static_cast<std::size_t>(frames); ++i)
    if (samples[i] != 0) sounding.push_back(static_cast<std::int64_t>(i / hop));
  ASSERT_FALSE(sounding.empty());
  EXPECT_EQ(heard - sounding.front(), field.right);
  EXPECT_EQ(sounding.back() - heard, field.left);
}

}  // namespace
}  // namespace voxport::hifigan::hifigan_test
