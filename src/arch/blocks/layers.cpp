#include "arch/blocks/layers.h"

#include <utility>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport {

Value channels_first(const Value& x) {
  return x.rank() == 4 ? transpose(x, {0, 3, 1, 2}) : transpose(x, {0, 2, 1});
}

Value channels_last(const Value& x) {
  return x.rank() == 4 ? transpose(x, {0, 2, 3, 1}) : transpose(x, {0, 2, 1});
}

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
  const bool has_rows = x.rank() == 4;
  const std::vector<std::int64_t>& shape = weight.shape;
  const Tensor kernel = has_rows ? reshaped(weight, {shape[0], shape[1], 1, shape[2]}) : weight;
  std::vector<Value> inputs = {x, g.constant("weight", kernel)};
  if (bias) inputs.push_back(g.constant("bias", *bias));
  using Ints = std::vector<std::int64_t>;
  return g.node(
      "Conv", std::move(inputs),
      {{"kernel_shape", has_rows ? Ints{1, shape[2]} : Ints{shape[2]}},
       {"strides", has_rows ? Ints{1, stride} : Ints{stride}},
       {"dilations", has_rows ? Ints{1, dilation} : Ints{dilation}},
       {"pads", has_rows ? Ints{0, pad_before, 0, pad_after} : Ints{pad_before, pad_after}},
       {"group", groups}});
}

Linear::Linear(const Weights& w, std::int64_t in, std::int64_t out)
    : path(w.path()),
      weight(permuted(reshaped(w.tensor("weight", {out, in, 1}), {out, in}), {1, 0})),
      bias(w.tensor("bias", {out})) {}

Linear::Linear(std::string its_path, Tensor its_weight, std::optional<Tensor> its_bias)
    : path(std::move(its_path)), weight(std::move(its_weight)), bias(std::move(its_bias)) {}

Value Linear::operator()(const Value& x) const {
  Builder g(x.graph());
  const Graph::Scope scope(g.graph(), path);
  const Value y = matmul(x, g.constant("weight", weight));
  return bias ? y + g.constant("bias", *bias) : y;
}

LayerNorm::LayerNorm(const Weights& w, std::int64_t channels)
    : path(w.path()), gamma(w.tensor("gamma", {channels})), beta(w.tensor("beta", {channels})) {}

Value LayerNorm::operator()(const Value& x) const {
  Builder g(x.graph());
  const Graph::Scope scope(g.graph(), path);
  constexpr double kEpsilon = 1e-5;  // PyTorch's
  return layer_norm(x, g.constant("gamma", gamma), g.constant("beta", beta), kEpsilon);
}

Embedding::Embedding(const Weights& w, std::int64_t count, std::int64_t channels)
    : path(w.path()), weight(w.tensor("weight", {count, channels})) {}

Value Embedding::operator()(const Value& indices) const {
  Builder g(indices.graph());
  const Graph::Scope scope(g.graph(), path);
  return gather(g.constant("weight", weight), indices, 0);
}

}  // namespace voxport
