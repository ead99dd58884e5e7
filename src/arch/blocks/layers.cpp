#include "arch/blocks/layers.h"

#include <cmath>
#include <utility>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport {
namespace {

constexpr double kEpsilon = 1e-5;  // of torch.nn.BatchNorm1d

// What each channel is multiplied by.
std::vector<double> factors_of(const BatchNorm1d& norm) {
  const std::vector<float> gains = to_float32(norm.weight);
  const std::vector<float> variances = to_float32(norm.running_var);
  std::vector<double> factors;
  for (std::size_t i = 0; i < gains.size(); ++i)
    factors.push_back(gains[i] / std::sqrt(variances[i] + kEpsilon));
  return factors;
}

}  // namespace

Value channels_first(const Value& x) { return transpose(x, {0, 2, 1}); }
Value channels_last(const Value& x) { return transpose(x, {0, 2, 1}); }

Conv1d::Conv1d(const Weights& w, std::int64_t in, std::int64_t out, std::int64_t kernel,
               const Options& options)
    : path(w.path()),
      weight(w.tensor("weight", {out, in / options.groups, kernel})),
      dilation(options.dilation),
      groups(options.groups),
      pad_before((kernel - 1) * options.dilation / 2),
      pad_after((kernel - 1) * options.dilation - pad_before) {
  if (options.has_bias) bias = w.tensor("bias", {out});
}

Conv1d::Conv1d(std::string its_path, Tensor its_weight, std::optional<Tensor> its_bias)
    : path(std::move(its_path)), weight(std::move(its_weight)), bias(std::move(its_bias)) {}

Value Conv1d::operator()(const Value& x) const {
  Builder g(x.graph());
  const Graph::Scope scope(g.graph(), path);
  std::vector<Value> inputs = {x, g.constant("weight", weight)};
  if (bias) inputs.push_back(g.constant("bias", *bias));
  using Ints = std::vector<std::int64_t>;
  return g.node("Conv", std::move(inputs),
                {{"kernel_shape", Ints{weight.shape[2]}},
                 {"strides", Ints{1}},
                 {"dilations", Ints{dilation}},
                 {"pads", Ints{pad_before, pad_after}},
                 {"group", groups}});
}

BatchNorm1d::BatchNorm1d(const Weights& w, std::int64_t channels)
    : weight(w.tensor("weight", {channels})),
      bias(w.tensor("bias", {channels})),
      running_mean(w.tensor("running_mean", {channels})),
      running_var(w.tensor("running_var", {channels})) {
  w.ignore("num_batches_tracked");
}

Conv1d folded(Conv1d conv, const BatchNorm1d& norm) {
  conv.weight = computed_tensor(conv.weight.shape, [weight = conv.weight, norm] {
    std::vector<float> values = to_float32(weight);
    const std::vector<double> factors = factors_of(norm);
    const std::size_t each = values.size() / factors.size();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(values[i] * factors[i / each]);
    return values;
  });
  conv.bias = computed_tensor(norm.bias.shape, [bias = *conv.bias, norm] {
    std::vector<float> values = to_float32(bias);
    const std::vector<double> factors = factors_of(norm);
    const std::vector<float> means = to_float32(norm.running_mean);
    const std::vector<float> offsets = to_float32(norm.bias);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>((values[i] - means[i]) * factors[i] + offsets[i]);
    return values;
  });
  return conv;
}

Linear::Linear(const Weights& w, std::int64_t in, std::int64_t out)
    : path(w.path()),
      weight(permuted(reshaped(w.tensor("weight", {out, in, 1}), {out, in}), {1, 0})),
      bias(w.tensor("bias", {out})) {}

Linear Linear::of_matrix(const Weights& w, std::int64_t in, std::int64_t out) {
  return {w.path(), permuted(w.tensor("weight", {out, in}), {1, 0}), w.tensor("bias", {out})};
}

Linear::Linear(std::string its_path, Tensor its_weight, std::optional<Tensor> its_bias)
    : path(std::move(its_path)), weight(std::move(its_weight)), bias(std::move(its_bias)) {}

Value Linear::operator()(const Value& x) const {
  Builder g(x.graph());
  const Graph::Scope scope(g.graph(), path);
  const Value y = matmul(x, g.constant("weight", weight));
  return bias ? y + g.constant("bias", *bias) : y;
}

LayerNorm::LayerNorm(const Weights& w, std::int64_t channels, Names names)
    : path(w.path()),
      gamma(w.tensor(names == Names::kGammaAndBeta ? "gamma" : "weight", {channels})),
      beta(w.tensor(names == Names::kGammaAndBeta ? "beta" : "bias", {channels})) {}

Value LayerNorm::operator()(const Value& x) const {
  Builder g(x.graph());
  const Graph::Scope scope(g.graph(), path);
  return layer_norm(x, g.constant("gamma", gamma), g.constant("beta", beta), epsilon);
}

Embedding::Embedding(const Weights& w, std::int64_t count, std::int64_t channels)
    : path(w.path()), weight(w.tensor("weight", {count, channels})) {}

Value Embedding::operator()(const Value& indices) const {
  Builder g(indices.graph());
  const Graph::Scope scope(g.graph(), path);
  return gather(g.constant("weight", weight), indices, 0);
}

}  // namespace voxport
