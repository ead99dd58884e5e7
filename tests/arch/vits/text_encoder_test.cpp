// Attention that knows how far apart two phonemes are, against plain loops in double precision.
#include "arch/vits/text_encoder.h"

#include <cmath>

#include "base/text.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::vits::text_encoder_test {
namespace {

// Sums of a few dozen products of numbers around 1, in float32.
constexpr double kTolerance = 5e-6;

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

// ids [b, t], relative [b, h, t, 2w + 1], square [b, h, t, t] -> the sum, and the neighbours
std::unique_ptr<Graph> band_graph(std::int64_t window, std::int64_t heads) {
  auto graph = std::make_unique<Graph>();
  const Dim b = Dim::symbol("b");
  const Dim t = Dim::symbol("t");
  const Value ids = graph->add_input("ids", type_of(DType::kInt64, {b, t}));
  const Value relative =
      graph->add_input("relative", type_of(DType::kFloat32, {b, heads, t, 2 * window + 1}));
  const Value square = graph->add_input("square", type_of(DType::kFloat32, {b, heads, t, t}));
  const Band band(ids, window, heads);
  graph->add_output("sum", band.with_added(square, relative));
  graph->add_output("neighbours", band.of_neighbours(square));
  return graph;
}

// Entry j of row i is column i + j - w, both ways; what falls outside is left out, or 0.
void expect_band(const Session& session, std::int64_t window, std::int64_t heads, std::int64_t t) {
  const std::int64_t width = 2 * window + 1;
  const Tensor relative = made_up_tensor({2, heads, t, width}, 1);
  const Tensor square = made_up_tensor({2, heads, t, t}, 2);
  const std::vector<float> from_relative = to_float32(relative);
  const std::vector<float> from_square = to_float32(square);
  std::vector<float> sum = from_square;
  std::vector<float> neighbours(from_relative.size(), 0.0F);
  for (std::int64_t row = 0; row < 2 * heads * t; ++row) {
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t column = row % t + j - window;
      if (column < 0 || column >= t) continue;
      sum[index(row * t + column)] += from_relative[index(row * width + j)];
      neighbours[index(row * width + j)] = from_square[index(row * t + column)];
    }
  }
  const Tensors found =
      session.run({{"ids", int64_tensor({2, t}, std::vector<std::int64_t>(index(2 * t)))},
                   {"relative", relative},
                   {"square", square}});
  EXPECT_TRUE(is_equal(found.at("sum"), tensor_of({2, heads, t, t}, sum)));
  EXPECT_TRUE(is_equal(found.at("neighbours"), tensor_of({2, heads, t, width}, neighbours)));
}

class RunBand : public RunsGraphs {};

TEST_F(RunBand, AddsToNeighboursAloneAndFindsThem) {
  for (const std::int64_t window : {1, 2, 4}) {
    for (const std::int64_t heads : {1, 3}) {
      const Session session = session_of(*band_graph(window, heads));
      for (std::int64_t t = 1; t <= 2 * window + 3; ++t) {
        SCOPED_TRACE(cat("window ", window, ", length ", t));
        expect_band(session, window, heads, t);
      }
      expect_band(session, window, heads, 50);
    }
  }
}

TextEncoderConfig sizes(std::int64_t heads, std::int64_t window, bool shares_heads) {
  TextEncoderConfig config;
  config.hidden_channels = 12;
  config.n_heads = heads;
  config.window_size = window;
  config.shares_heads = shares_heads;
  return config;
}

MadeUpWeights weights_for(const TextEncoderConfig& config) {
  MadeUpWeights weights;
  const std::int64_t c = config.hidden_channels;
  for (const char* name : {"conv_q", "conv_k", "conv_v", "conv_o"}) {
    weights.add_random(cat(name, ".weight"), {c, c, 1});
    weights.add_random(cat(name, ".bias"), {c});
  }
  for (const char* name : {"emb_rel_k", "emb_rel_v"})
    weights.add(name, made_up_tensor({config.shares_heads ? 1 : config.n_heads,
                                      2 * config.window_size + 1, config.k_channels()},
                                     17));
  return weights;
}

// x [b, t, c], lengths [b] -> y
std::unique_ptr<Graph> attention_graph(const MadeUpWeights& weights,
                                       const TextEncoderConfig& config) {
  const Object dict = weights.dict();
  const Weights w(dict);
  const MultiHeadAttention attention(w, config);
  w.finish("attention");
  auto graph = std::make_unique<Graph>();
  const Dim b = Dim::symbol("b");
  const Dim t = Dim::symbol("t");
  const Value ids = graph->add_input("ids", type_of(DType::kInt64, {b, t}));
  const Value lengths = graph->add_input("lengths", type_of(DType::kInt64, {b}));
  const Value x = graph->add_input("x", type_of(DType::kFloat32, {b, t, config.hidden_channels}));
  const Mask mask("mask", lengths, size(ids, 1));
  const Band band(ids, config.window_size, config.n_heads);
  graph->add_output("y", attention(x, mask, band));
  return graph;
}

using Matrix = std::vector<std::vector<double>>;  // [t][c]

Matrix projected(const Matrix& x, const MadeUpWeights& weights, const std::string& name) {
  const std::vector<float> w = to_float32(weights.at(name + ".weight"));  // [out, in, 1]
  const std::vector<float> bias = to_float32(weights.at(name + ".bias"));
  Matrix y;
  for (const std::vector<double>& row : x) {
    std::vector<double>& out = y.emplace_back(bias.begin(), bias.end());
    for (std::size_t o = 0; o < out.size(); ++o)
      for (std::size_t i = 0; i < row.size(); ++i) out[o] += w[o * row.size() + i] * row[i];
  }
  return y;
}

// One row of the batch, without what pads it.
class Reference {
 public:
  Reference(const Matrix& x, const MadeUpWeights& weights, const TextEncoderConfig& config)
      : config_(config),
        rel_k_(to_float32(weights.at("emb_rel_k"))),
        rel_v_(to_float32(weights.at("emb_rel_v"))),
        query_(projected(x, weights, "conv_q")),
        key_(projected(x, weights, "conv_k")),
        value_(projected(x, weights, "conv_v")) {
    Matrix joined(x.size(), std::vector<double>(x[0].size(), 0.0));
    for (std::int64_t head = 0; head < config.n_heads; ++head)
      for (std::size_t i = 0; i < x.size(); ++i) attend(head, i, joined[i]);
    result = projected(joined, weights, "conv_o");
  }

  Matrix result;

 private:
  // Where the embedding of j as seen from i is, if it is near enough.
  std::optional<std::size_t> embedding(std::int64_t head, std::size_t i, std::size_t j) const {
    const std::int64_t apart = static_cast<std::int64_t>(j) - static_cast<std::int64_t>(i);
    if (std::abs(apart) > config_.window_size) return std::nullopt;
    const std::int64_t row = (config_.shares_heads ? 0 : head) * (2 * config_.window_size + 1) +
                             apart + config_.window_size;
    return index(row * config_.k_channels());
  }

  void attend(std::int64_t head, std::size_t i, std::vector<double>& out) const {
    const std::size_t d = index(config_.k_channels());
    const std::size_t first = index(head) * d;
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t j = 0; j < key_.size(); ++j) {
      double score = 0;
      const auto near = embedding(head, i, j);
      for (std::size_t c = 0; c < d; ++c)
        score += query_[i][first + c] * (key_[j][first + c] + (near ? rel_k_[*near + c] : 0.0F));
      weights.push_back(std::exp(score / std::sqrt(static_cast<double>(d))));
      sum += weights.back();
    }
    for (std::size_t j = 0; j < key_.size(); ++j) {
      const auto near = embedding(head, i, j);
      for (std::size_t c = 0; c < d; ++c)
        out[first + c] +=
            weights[j] / sum * (value_[j][first + c] + (near ? rel_v_[*near + c] : 0.0F));
    }
  }

  const TextEncoderConfig& config_;
  std::vector<float> rel_k_, rel_v_;
  Matrix query_, key_, value_;
};

Matrix matrix_of(const Tensor& x) {  // [1, t, c]
  const std::vector<float> values = to_float32(x);
  const auto c = static_cast<std::ptrdiff_t>(x.shape[2]);
  Matrix rows;
  for (auto at = values.begin(); at != values.end(); at += c) rows.emplace_back(at, at + c);
  return rows;
}

struct Example {
  std::int64_t heads, window;
  bool shares_heads;
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.heads << " heads"; }

class Attention : public RunsGraphs, public testing::WithParamInterface<Example> {};

INSTANTIATE_TEST_SUITE_P(Examples, Attention,
                         testing::Values(Example{1, 4, true}, Example{2, 4, true},
                                         Example{3, 2, false}, Example{4, 1, true}));

TEST_P(Attention, HearsEveryPhonemeOfItsRowAndNoOther) {
  const TextEncoderConfig config =
      sizes(GetParam().heads, GetParam().window, GetParam().shares_heads);
  const MadeUpWeights weights = weights_for(config);
  const Session session = session_of(*attention_graph(weights, config));
  std::vector<std::int64_t> lengths = {20, 50};
  for (std::int64_t t = 1; t <= 2 * config.window_size + 3; ++t) lengths.push_back(t);
  for (const std::int64_t t : lengths) {
    SCOPED_TRACE(t);
    const std::int64_t shorter = (t + 1) / 2;
    const Tensor x = made_up_tensor({2, t, config.hidden_channels}, 5, 2);
    const Tensor y =
        session
            .run({{"x", x},
                  {"ids", int64_tensor({2, t}, std::vector<std::int64_t>(index(2 * t)))},
                  {"lengths", int64_tensor({2}, {t, shorter})}})
            .at("y");
    for (const std::int64_t row : {0, 1}) {
      const std::int64_t length = row == 0 ? t : shorter;
      const auto valid = [&](const Tensor& whole) {
        return part_of(part_of(whole, 0, row, row + 1), 1, 0, length);
      };
      std::vector<float> expected;
      for (const auto& step : Reference(matrix_of(valid(x)), weights, config).result)
        expected.insert(expected.end(), step.begin(), step.end());
      EXPECT_TRUE(
          is_close(valid(y), tensor_of({1, length, config.hidden_channels}, expected), kTolerance));
    }
  }
}

}  // namespace
}  // namespace voxport::vits::text_encoder_test
