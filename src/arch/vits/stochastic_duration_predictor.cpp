#include "arch/vits/stochastic_duration_predictor.h"

#include <cmath>

#include "arch/vits/spline.h"
#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::vits {
namespace {

Linear spline_linear(const Weights& w, const DurationConfig& config) {
  const std::int64_t out = 3 * config.num_bins - 1;
  const Linear proj(w, config.filter_channels, out);
  const SplineProjection laid_out =
      spline_projection(proj.weight, *proj.bias, config.num_bins,
                        std::sqrt(static_cast<double>(config.filter_channels)));
  return {proj.path, laid_out.weight, laid_out.bias};
}

// The flows 1, 3, 5, ... couple, those between them swap the two channels, and 0 is affine.
constexpr std::int64_t duration_flow_index(std::int64_t coupling) { return 2 * coupling + 1; }

}  // namespace

DDSConv::DDSConv(const Weights& w, const DurationConfig& config) {
  const std::int64_t channels = config.filter_channels;
  std::int64_t dilation = 1;
  for (std::int64_t i = 0; i < config.n_layers; ++i) {
    layers.push_back({Conv1d(w / "convs_sep" / i, channels, channels, config.kernel_size,
                             {.dilation = dilation, .groups = channels}),
                      LayerNorm(w / "norms_1" / i, channels),
                      Linear(w / "convs_1x1" / i, channels, channels),
                      LayerNorm(w / "norms_2" / i, channels)});
    dilation *= config.kernel_size;
  }
}

Value DDSConv::operator()(Value x, const Mask& mask) const {
  for (const Layer& layer : layers) {
    const Graph::Scope scope(x.graph(), layer.conv_sep.path);
    Value y = channels_last(layer.conv_sep(channels_first(x * mask.last)));
    y = gelu(layer.norm_1(y));
    y = gelu(layer.norm_2(layer.conv_1x1(y)));
    x = x + y;
  }
  return x;
}

ConvFlow::ConvFlow(const Weights& w, const DurationConfig& config)
    : path(w.path()),
      num_bins(config.num_bins),
      pre_weight(reshaped((w / "pre").tensor("weight", {config.filter_channels, 1, 1}),
                          {config.filter_channels})),
      pre_bias((w / "pre").tensor("bias", {config.filter_channels})),
      convs(w / "convs", config),
      proj(spline_linear(w / "proj", config)) {}

Value ConvFlow::reverse(const Value& x0, const Value& x1, const Mask& mask, const Value& g) const {
  Builder builder(x0.graph());
  const Graph::Scope scope(x0.graph(), path);
  Value h = x0 * builder.constant("pre.weight", pre_weight) +
            (g + builder.constant("pre.bias", pre_bias));
  h = proj(convs(h, mask));
  return inverse_spline(x1, h, num_bins);
}

// Of n_flows couplings the first is never run backwards: it would change the channel that is then
// thrown away.
StochasticDurationPredictor::StochasticDurationPredictor(const Weights& w,
                                                         const DurationConfig& config)
    : pre(w / "pre", config.in_channels, config.filter_channels),
      convs(w / "convs", config),
      proj(w / "proj", config.filter_channels, config.filter_channels),
      m((w / "flows" / 0).tensor("m", {2, 1})),
      logs((w / "flows" / 0).tensor("logs", {2, 1})) {
  if (config.gin_channels != 0)
    cond.emplace(w / "cond", config.gin_channels, config.filter_channels);
  if (config.language_channels != 0)
    cond_lang.emplace(w / "cond_lang", config.language_channels, config.filter_channels);
  for (std::int64_t i = config.n_flows; i-- > 1;)
    flows.emplace_back(w / "flows" / duration_flow_index(i), config);
  (w / "flows" / duration_flow_index(0)).ignore();
  for (const char* name : {"post_pre", "post_proj", "post_convs", "post_flows"})
    (w / name).ignore();
}

Value StochasticDurationPredictor::operator()(Value x, const Mask& mask,
                                              const std::optional<Value>& g,
                                              const std::optional<Value>& language,
                                              std::pair<Value, Value> noise) const {
  const Graph::Scope scope(x.graph(), "dp");
  x = pre(x);
  if (cond && g) x = x + (*cond)(*g);
  if (cond_lang && language) x = x + (*cond_lang)(*language);
  x = proj(convs(x, mask));

  auto [z0, z1] = std::move(noise);
  std::swap(z0, z1);  // Flip
  for (const ConvFlow& flow : flows) {
    z1 = flow.reverse(z0, z1, mask, x);
    std::swap(z0, z1);
  }
  const Graph::Scope affine(x.graph(), "dp.flows.0");
  Builder builder(x.graph());
  const Tensor scale = computed_tensor({1}, [logs = logs] {
    return std::vector<float>{static_cast<float>(std::exp(-to_float32(logs)[0]))};
  });
  const Tensor mean = reshaped(sliced(m, 0, 0, 1), {1});
  return (z0 - builder.constant("m", mean)) * builder.constant("scale", scale);
}

}  // namespace voxport::vits
