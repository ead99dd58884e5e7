// Positions and attention of FastSpeech2, against plain loops.
#include "arch/fastspeech2/transformer.h"

#include <cmath>

#include "base/text.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::fastspeech2::transformer_test {
namespace {

// Sums of a few dozen products of numbers around 1, in float32.
constexpr double kTolerance = 5e-6;

class RunTransformer : public RunsGraphs {};

TransformerConfig sizes(std::int64_t heads) {
  TransformerConfig config;
  config.heads = heads;
  config.hidden = 6;
  config.positions = 5;
  return config;
}

// A table that is not the one which is computed, so that one can tell which of them was taken.
TEST_F(RunTransformer, TakesAllPositionsFromTheTableOrNone) {
  const TransformerConfig config = sizes(1);
  MadeUpWeights weights;
  weights.add_random("decoder.position_enc", {1, config.positions, config.hidden});
  const Object dict = weights.dict();
  const Weights w(dict);
  const PositionEncoding positions(w / "decoder", config);
  Graph graph;
  const Value x = graph.add_input("x", type_of(DType::kFloat32, {Dim::symbol("t")}));
  graph.add_output("positions", positions(size(x, 0)));
  EXPECT_EQ(graph.outputs()[0].second.dim(0).text(), "t");
  const Session session = session_of(graph);
  const auto run = [&](std::int64_t length) {
    return session.run({{"x", made_up_tensor({length}, 1)}}).at("positions");
  };
  const std::vector<float> table = to_float32(weights.at("decoder.position_enc"));
  for (const std::int64_t length : {1, 3, 4}) {  // max_seq_len is 4
    const auto end = table.begin() + static_cast<std::ptrdiff_t>(length * config.hidden);
    EXPECT_TRUE(is_equal(
        run(length), tensor_of({length, config.hidden}, std::vector<float>(table.begin(), end))));
  }
  for (const std::int64_t length : {5, 6, 50}) {
    const std::vector<float> found = to_float32(run(length));
    for (std::int64_t t = 0; t < length; ++t)
      EXPECT_NEAR(found[static_cast<std::size_t>(t * config.hidden)],
                  std::sin(static_cast<double>(t)), 1e-7);
  }
}

std::vector<double> projected(const MadeUpWeights& weights, const std::string& name,
                              const std::vector<double>& x) {
  const std::vector<float> w = to_float32(weights.at(name + ".weight"));
  const std::vector<float> bias = to_float32(weights.at(name + ".bias"));
  std::vector<double> y(bias.begin(), bias.end());
  for (std::size_t o = 0; o < y.size(); ++o)
    for (std::size_t i = 0; i < x.size(); ++i) y[o] += w[o * x.size() + i] * x[i];
  return y;
}

std::vector<double> normed(const MadeUpWeights& weights, const std::vector<double>& x) {
  double mean = 0;
  double variance = 0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  for (const double value : x)
    variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
  std::vector<double> y;
  for (std::size_t i = 0; i < x.size(); ++i)
    y.push_back((x[i] - mean) / std::sqrt(variance + 1e-5) *
                    to_float32(weights.at("layer_norm.weight"))[i] +
                to_float32(weights.at("layer_norm.bias"))[i]);
  return y;
}

using Rows = std::vector<std::vector<double>>;

// One row of the batch, without what pads it.
Rows attended(const MadeUpWeights& weights, const Rows& x, std::size_t heads) {
  Rows query, key, value, output;
  for (const auto& step : x) {
    query.push_back(projected(weights, "w_qs", step));
    key.push_back(projected(weights, "w_ks", step));
    value.push_back(projected(weights, "w_vs", step));
  }
  const std::size_t each = x[0].size() / heads;
  for (std::size_t t = 0; t < x.size(); ++t) {
    std::vector<double> joined(x[0].size(), 0.0);
    for (std::size_t head = 0; head < heads; ++head) {
      std::vector<double> p;
      double sum = 0;
      for (std::size_t s = 0; s < x.size(); ++s) {
        double score = 0;
        for (std::size_t i = head * each; i < (head + 1) * each; ++i)
          score += query[t][i] * key[s][i];
        p.push_back(std::exp(score / std::sqrt(static_cast<double>(each))));
        sum += p.back();
      }
      for (std::size_t s = 0; s < x.size(); ++s)
        for (std::size_t i = head * each; i < (head + 1) * each; ++i)
          joined[i] += p[s] / sum * value[s][i];
    }
    std::vector<double> y = projected(weights, "fc", joined);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[t][i];
    output.push_back(normed(weights, y));
  }
  return output;
}

TEST_F(RunTransformer, AttendsToWhatIsThere) {
  for (const std::int64_t heads : {1, 3}) {
    const TransformerConfig config = sizes(heads);
    const std::int64_t c = config.hidden;
    MadeUpWeights weights;
    for (const char* name : {"w_qs", "w_ks", "w_vs", "fc"}) {
      weights.add_random(cat(name, ".weight"), {c, c});
      weights.add_random(cat(name, ".bias"), {c});
    }
    for (const char* name : {"weight", "bias"})
      weights.add(cat("layer_norm.", name), made_up_tensor({c}, 5));
    const Object dict = weights.dict();
    const Weights w(dict);
    const MultiHeadAttention attention(w, config);
    w.finish("attention");
    Graph graph;
    const Dim b = Dim::symbol("b");
    const Dim t = Dim::symbol("t");
    const Value lengths = graph.add_input("lengths", type_of(DType::kInt64, {b}));
    const Value given = graph.add_input("x", type_of(DType::kFloat32, {b, t, c}));
    const SequenceMask mask("mask", lengths, size(given, 1), false);
    graph.add_output("y", attention(given, mask));

    const std::vector<std::int64_t> row_lengths = {7, 4, 1};
    const Tensor x = made_up_tensor({3, 7, c}, 11);
    const std::vector<float> numbers = to_float32(x);
    const Tensors found =
        session_of(graph).run({{"lengths", int64_tensor({3}, row_lengths)}, {"x", x}});
    for (std::int64_t row = 0; row < 3; ++row) {
      const std::int64_t length = row_lengths[static_cast<std::size_t>(row)];
      Rows steps;
      for (std::int64_t step = 0; step < length; ++step) {
        const auto from = numbers.begin() + static_cast<std::ptrdiff_t>((row * 7 + step) * c);
        steps.emplace_back(from, from + c);
      }
      std::vector<float> expected;
      for (const auto& step : attended(weights, steps, static_cast<std::size_t>(heads)))
        expected.insert(expected.end(), step.begin(), step.end());
      const Tensor part = part_of(part_of(found.at("y"), 0, row, row + 1), 1, 0, length);
      EXPECT_TRUE(is_close(part, tensor_of({1, length, c}, expected), kTolerance));
    }
  }
}

}  // namespace
}  // namespace voxport::fastspeech2::transformer_test
