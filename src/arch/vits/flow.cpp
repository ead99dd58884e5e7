#include "arch/vits/flow.h"

#include <algorithm>
#include <utility>

#include "base/tensor_math.h"
#include "base/text.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::vits {
namespace {

// The flows 0, 2, 4, ... couple, those between them flip the channels.
constexpr std::int64_t flow_index(std::int64_t coupling) { return 2 * coupling; }

// Rows [start, end) of the output channels.
Conv1d part_of(const Conv1d& conv, std::string_view name, std::int64_t start, std::int64_t end) {
  Conv1d part = conv;
  part.path = cat(conv.path, ".", name);
  part.weight = sliced(conv.weight, 0, start, end);
  part.bias = sliced(*conv.bias, 0, start, end);
  return part;
}

Tensor matrix_of(const Conv1d& conv) {
  return reshaped(conv.weight, {conv.weight.shape[0], conv.weight.shape[1]});
}

Tensor column_of(const Tensor& bias) { return reshaped(bias, {bias.shape[0], 1}); }

// -post(skip(x)), all of kernel 1; of post's bias only where asked for.
Conv1d shift_of(const Conv1d& post, const Conv1d& skip, bool with_bias) {
  const Tensor both = product(matrix_of(post), matrix_of(skip));
  const Tensor bias = reshaped(product(matrix_of(post), column_of(*skip.bias)), post.bias->shape);
  return {cat(skip.path, ".shift"), reshaped(scaled(both, -1), {both.shape[0], both.shape[1], 1}),
          scaled(with_bias ? sum_of({bias, *post.bias}) : bias, -1)};
}

Conv1d with_inputs_backwards(Conv1d conv) {
  conv.weight = picked(conv.weight, 1, backwards(conv.weight.shape[1]));
  return conv;
}

Conv1d with_outputs_backwards(Conv1d conv) {
  conv.weight = picked(conv.weight, 0, backwards(conv.weight.shape[0]));
  conv.bias = picked(*conv.bias, 0, backwards(conv.bias->shape[0]));
  return conv;
}

Value masked(const Value& x, const std::optional<Value>& mask) { return mask ? x * *mask : x; }

}  // namespace

ResidualCouplingLayer::ResidualCouplingLayer(const Weights& w, const FlowConfig& config)
    : path(w.path()),
      pre(w / "pre", config.channels / 2, config.hidden_channels, 1),
      hidden_channels(config.hidden_channels) {
  const std::int64_t hidden = config.hidden_channels;
  const Conv1d post(w / "post", hidden, config.channels / 2, 1);
  const Weights enc = w / "enc";
  if (config.gin_channels != 0)
    cond_layer.emplace(enc / "cond_layer", config.gin_channels, 2 * hidden * config.n_layers, 1);
  std::int64_t dilation = 1;
  for (std::int64_t i = 0; i < config.n_layers; ++i) {
    const bool is_last = i + 1 == config.n_layers;
    const Conv1d in(enc / "in_layers" / i, hidden, 2 * hidden, config.kernel_size,
                    {.dilation = dilation});
    dilation *= config.dilation_rate;
    const Conv1d res_skip(enc / "res_skip_layers" / i, hidden, is_last ? hidden : 2 * hidden, 1);
    const Conv1d skip =
        part_of(res_skip, "skip", is_last ? 0 : hidden, is_last ? hidden : 2 * hidden);
    GatedLayer layer{in, std::nullopt, shift_of(post, skip, i == 0)};
    if (!is_last) layer.residual = part_of(res_skip, "residual", 0, hidden);
    layers.push_back(std::move(layer));
  }
}

void ResidualCouplingLayer::reverse(Half& x0, Half& x1, const std::optional<Value>& mask,
                                    const std::optional<Value>& g, Caches* caches) const {
  const Graph::Scope scope(x0.value.graph(), path);
  std::vector<Value> conditions;  // of each layer
  if (cond_layer && g) {
    const std::vector<std::int64_t> sizes(layers.size(), 2 * hidden_channels);
    conditions = split((*cond_layer)(*g), sizes, kChannels);
  }
  Value h = masked((x0.is_backwards ? with_inputs_backwards(pre) : pre)(x0.value), mask);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const GatedLayer& layer = layers[i];
    const Graph::Scope in_layer(h.graph(), layer.in.path);
    Value x_in = convolved(layer.in, h, caches);
    if (!conditions.empty()) x_in = x_in + conditions[i];
    const std::vector<Value> parts = split(x_in, {hidden_channels, hidden_channels}, kChannels);
    const Value acts = tanh(parts[0]) * sigmoid(parts[1]);
    x1.value = delayed(x1.value, layer.in.pad_after, caches) +
               (x1.is_backwards ? with_outputs_backwards(layer.shift) : layer.shift)(acts);
    if (layer.residual)
      h = masked(delayed(h, layer.in.pad_after, caches) + (*layer.residual)(acts), mask);
  }
  x0.value = delayed(x0.value, reach(), caches);
}

std::int64_t ResidualCouplingLayer::reach() const {
  std::int64_t reach = 0;
  for (const GatedLayer& layer : layers) reach += layer.in.pad_after;
  return reach;
}

ResidualCouplingBlock::ResidualCouplingBlock(const Weights& w, const FlowConfig& its_config)
    : config(its_config) {
  for (std::int64_t i = config.n_flows; i-- > 0;)
    flows.emplace_back(w / "flows" / flow_index(i), config);
}

ResidualCouplingBlock::Output ResidualCouplingBlock::reverse(const Value& z_p,
                                                             const std::optional<Value>& y_mask,
                                                             const std::optional<Value>& g,
                                                             Caches* caches) const {
  const Graph::Scope scope(z_p.graph(), "flow");
  const std::int64_t half = config.channels / 2;
  const std::vector<Value> parts = split(z_p, {half, half}, kChannels);
  Half x0{parts[0]};
  Half x1{parts[1]};
  for (const ResidualCouplingLayer& flow : flows) {
    std::swap(x0, x1);  // Flip
    x0.is_backwards = !x0.is_backwards;
    x1.is_backwards = !x1.is_backwards;
    flow.reverse(x0, x1, y_mask, g, caches);
  }
  Output output{masked(concat({x0.value, x1.value}, kChannels), y_mask), {}};
  for (std::int64_t i = 0; i < half; ++i)
    output.order.push_back(x0.is_backwards ? half - 1 - i : i);
  for (std::int64_t i = 0; i < half; ++i)
    output.order.push_back(half + (x1.is_backwards ? half - 1 - i : i));
  return output;
}

std::int64_t ResidualCouplingBlock::reach() const {
  std::int64_t reach = 0;
  for (const ResidualCouplingLayer& flow : flows) reach += flow.reach();
  return reach;
}

}  // namespace voxport::vits
