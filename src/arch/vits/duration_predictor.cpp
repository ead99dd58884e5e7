#include "arch/vits/duration_predictor.h"

#include "graph/ops.h"

namespace voxport::vits {

DurationPredictor::DurationPredictor(const Weights& w, const DurationConfig& config)
    : conv_1(w / "conv_1", config.in_channels, config.filter_channels, config.kernel_size),
      norm_1(w / "norm_1", config.filter_channels),
      conv_2(w / "conv_2", config.filter_channels, config.filter_channels, config.kernel_size),
      norm_2(w / "norm_2", config.filter_channels),
      proj(w / "proj", config.filter_channels, 1) {
  norm_1.epsilon = norm_2.epsilon = config.norm_epsilon;
  if (config.gin_channels != 0) cond.emplace(w / "cond", config.gin_channels, config.in_channels);
  if (config.language_channels != 0)
    cond_lang.emplace(w / "cond_lang", config.language_channels, config.in_channels);
}

Value DurationPredictor::operator()(Value x, const Mask& mask, const std::optional<Value>& g,
                                    const std::optional<Value>& language) const {
  const Graph::Scope scope(x.graph(), "dp");
  if (cond && g) x = x + (*cond)(*g);
  if (cond_lang && language) x = x + (*cond_lang)(*language);
  x = norm_1(channels_last(relu(conv_1(channels_first(x * mask.last)))));
  x = norm_2(channels_last(relu(conv_2(channels_first(x * mask.last)))));
  return proj(x);
}

}  // namespace voxport::vits
