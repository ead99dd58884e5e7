// The flow backwards, with its flips left out of the graph, against one that carries them out.
#include "arch/vits/flow.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "graph/ops.h"
#include "tests/arch/made_up.h"
#include "tests/cases.h"

namespace voxport::vits::flow_test {
namespace {

// Numbers around 1 through a dozen gated convolutions, in float32.
constexpr double kTolerance = 1e-5;

using Row = std::vector<double>;
using Sequence = std::vector<Row>;  // [c][t]

Sequence conv(const Sequence& x, const MadeUpWeights& weights, const std::string& name) {
  const Tensor& weight = weights.at(name + ".weight");  // [out, in, kernel]
  const std::vector<float> w = to_float32(weight);
  const std::vector<float> bias = to_float32(weights.at(name + ".bias"));
  const auto kernel = static_cast<std::ptrdiff_t>(weight.shape[2]);
  const auto t = static_cast<std::ptrdiff_t>(x[0].size());
  Sequence y;
  for (std::size_t o = 0; o < bias.size(); ++o) {
    Row& row = y.emplace_back(x[0].size(), bias[o]);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::ptrdiff_t k = 0; k < kernel; ++k) {
        const double tap =
            w[(o * x.size() + i) * static_cast<std::size_t>(kernel) + static_cast<std::size_t>(k)];
        for (std::ptrdiff_t s = 0; s < t; ++s) {
          const std::ptrdiff_t at = s + k - kernel / 2;
          if (at >= 0 && at < t)
            row[static_cast<std::size_t>(s)] += tap * x[i][static_cast<std::size_t>(at)];
        }
      }
    }
  }
  return y;
}

void mask_after(Sequence& x, std::int64_t length) {
  for (Row& row : x)
    for (std::size_t t = static_cast<std::size_t>(length); t < row.size(); ++t) row[t] = 0;
}

// vits/modules.py WN, then post: how far the other half was moved.
Sequence mean_of(const Sequence& x0, const Sequence* g, std::int64_t length,
                 const MadeUpWeights& weights, const std::string& flow, const FlowConfig& config) {
  const auto hidden = static_cast<std::size_t>(config.hidden_channels);
  Sequence h = conv(x0, weights, flow + "pre");
  mask_after(h, length);
  const Sequence condition = g ? conv(*g, weights, flow + "enc.cond_layer") : Sequence();
  Sequence output(hidden, Row(x0[0].size(), 0.0));
  for (std::int64_t layer = 0; layer < config.n_layers; ++layer) {
    Sequence x_in = conv(h, weights, cat(flow, "enc.in_layers.", layer));
    for (std::size_t c = 0; g && c < x_in.size(); ++c)
      for (double& value : x_in[c])
        value += condition[static_cast<std::size_t>(layer) * 2 * hidden + c][0];
    Sequence acts(hidden, Row(x0[0].size()));
    for (std::size_t c = 0; c < hidden; ++c)
      for (std::size_t t = 0; t < acts[c].size(); ++t)
        acts[c][t] = std::tanh(x_in[c][t]) / (1 + std::exp(-x_in[hidden + c][t]));
    const Sequence res_skip = conv(acts, weights, cat(flow, "enc.res_skip_layers.", layer));
    const bool is_last = layer + 1 == config.n_layers;
    for (std::size_t c = 0; c < hidden; ++c) {
      for (std::size_t t = 0; t < acts[c].size(); ++t) {
        output[c][t] += res_skip[is_last ? c : hidden + c][t];
        if (!is_last) h[c][t] += res_skip[c][t];
      }
    }
    mask_after(h, length);
  }
  mask_after(output, length);
  Sequence mean = conv(output, weights, flow + "post");
  mask_after(mean, length);
  return mean;
}

// vits/models.py ResidualCouplingBlock.forward(reverse=True).
Sequence reference(Sequence x, const Sequence* g, std::int64_t length, const MadeUpWeights& weights,
                   const FlowConfig& config) {
  const std::size_t half = x.size() / 2;
  for (std::int64_t i = config.n_flows; i-- > 0;) {
    std::reverse(x.begin(), x.end());  // Flip
    const Sequence x0(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(half));
    const Sequence mean = mean_of(x0, g, length, weights, cat("flows.", 2 * i, "."), config);
    for (std::size_t c = 0; c < half; ++c)
      for (std::size_t t = 0; t < mean[c].size(); ++t) x[half + c][t] -= mean[c][t];
  }
  mask_after(x, length);
  return x;
}

MadeUpWeights weights_for(const FlowConfig& config) {
  MadeUpWeights weights;
  const auto add = [&](const std::string& name, std::int64_t out, std::int64_t in,
                       std::int64_t kernel) {
    weights.add_random(name + ".weight", {out, in, kernel});
    weights.add_random(name + ".bias", {out});
  };
  const std::int64_t hidden = config.hidden_channels;
  for (std::int64_t i = 0; i < config.n_flows; ++i) {
    const std::string flow = cat("flows.", 2 * i, ".");
    add(flow + "pre", hidden, config.channels / 2, 1);
    add(flow + "post", config.channels / 2, hidden, 1);
    if (config.gin_channels != 0)
      add(flow + "enc.cond_layer", 2 * hidden * config.n_layers, config.gin_channels, 1);
    for (std::int64_t layer = 0; layer < config.n_layers; ++layer) {
      const bool is_last = layer + 1 == config.n_layers;
      add(cat(flow, "enc.in_layers.", layer), 2 * hidden, hidden, config.kernel_size);
      add(cat(flow, "enc.res_skip_layers.", layer), is_last ? hidden : 2 * hidden, hidden, 1);
    }
  }
  return weights;
}

struct FlowGraph {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<std::int64_t> order;
};

FlowGraph graph_of(const MadeUpWeights& weights, const FlowConfig& config, bool is_fast) {
  const Object dict = weights.dict();
  const Weights w(dict);
  const ResidualCouplingBlock flow(w, config);
  w.finish("a flow");
  FlowGraph made;
  const Dim b = Dim::symbol("b");
  const Dim t = Dim::symbol("t");
  const auto input = [&](const char* name, Shape shape) {
    return made.graph->add_input(name, type_of(DType::kFloat32, std::move(shape)));
  };
  const Value z_p = input("z_p", {b, config.channels, t});
  const Value y_mask = input("y_mask", {b, 1, t});
  std::optional<Value> g;
  if (config.gin_channels != 0) g = input("g", {b, config.gin_channels, 1});
  const ResidualCouplingBlock::Output out = flow.reverse(z_p, y_mask, g);
  made.graph->add_output("z", out.z);
  made.order = out.order;
  if (is_fast) use_forms_for_onnxruntime(*made.graph);
  return made;
}

Sequence sequence_of(const Tensor& tensor) {  // [1, c, t]
  const std::vector<float> values = to_float32(tensor);
  const auto t = static_cast<std::ptrdiff_t>(tensor.shape[2]);
  Sequence rows;
  for (auto at = values.begin(); at != values.end(); at += t) rows.emplace_back(at, at + t);
  return rows;
}

struct Example {
  FlowConfig config;
  bool is_fast;  // in the forms for ONNX Runtime
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.config.n_flows; }

class Flow : public RunsGraphs, public testing::WithParamInterface<Example> {};

// Couplings in odd and even numbers: of the flips an odd number leaves the channels backwards.
INSTANTIATE_TEST_SUITE_P(
    Examples, Flow,
    testing::Values(Example{{6, 8, 5, 2, 4, 0}, true}, Example{{6, 8, 5, 2, 3, 0}, true},
                    Example{{6, 8, 3, 1, 1, 0}, false}, Example{{10, 7, 3, 3, 2, 4}, true},
                    Example{{4, 6, 1, 2, 5, 3}, false}, Example{{2, 16, 3, 2, 3, 2}, true},
                    Example{{32, 16, 5, 2, 3, 16}, true}));

TEST_P(Flow, RunsBackwardsWithItsFlips) {
  const FlowConfig& config = GetParam().config;
  const MadeUpWeights weights = weights_for(config);
  const FlowGraph made = graph_of(weights, config, GetParam().is_fast);
  const Session session = session_of(*made.graph);
  for (const std::int64_t frames : {1, 2, 7, 40}) {
    SCOPED_TRACE(frames);
    const std::int64_t length = (frames + 1) / 2;
    const Tensor z_p = made_up_tensor({1, config.channels, frames}, 50);
    std::vector<float> mask(static_cast<std::size_t>(frames), 0.0F);
    std::fill_n(mask.begin(), length, 1.0F);
    Tensors inputs = {{"z_p", z_p}, {"y_mask", tensor_of({1, 1, frames}, mask)}};
    Sequence g;
    if (config.gin_channels != 0) {
      inputs["g"] = made_up_tensor({1, config.gin_channels, 1}, 51);
      g = sequence_of(inputs["g"]);
    }
    const Sequence expected =
        reference(sequence_of(z_p), g.empty() ? nullptr : &g, length, weights, config);
    const Sequence found = sequence_of(session.run(inputs).at("z"));
    for (std::size_t c = 0; c < expected.size(); ++c)
      for (std::size_t t = 0; t < expected[c].size(); ++t)
        EXPECT_NEAR(found[static_cast<std::size_t>(made.order[c])][t], expected[c][t], kTolerance)
            << "channel " << c << ", frame " << t;
  }
}

}  // namespace
}  // namespace voxport::vits::flow_test
