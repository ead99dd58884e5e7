// How long each phoneme lasts, drawn from a distribution: a flow that turns noise into logarithms
// of durations, conditioned on the text. VITS, section 2.2.2; vits/models.py
// StochasticDurationPredictor.forward(reverse=True).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/blocks/layers.h"
#include "arch/blocks/mask.h"
#include "arch/vits/config.h"

namespace voxport::vits {

// Dilated and depth-separable convolutions. vits/modules.py DDSConv.
struct DDSConv {
  struct Layer {
    Conv1d conv_sep;
    LayerNorm norm_1;
    Linear conv_1x1;
    LayerNorm norm_2;
  };
  std::vector<Layer> layers;

  DDSConv(const Weights& w, const DurationConfig& config);

  Value operator()(Value x, const Mask& mask) const;  // channels last
};

// One coupling of the flow: one channel tells which spline the other goes through. vits/modules.py
// ConvFlow.forward(reverse=True).
struct ConvFlow {
  std::string path;
  std::int64_t num_bins;
  Tensor pre_weight;  // [filter_channels]
  Tensor pre_bias;
  DDSConv convs;
  Linear proj;

  ConvFlow(const Weights& w, const DurationConfig& config);

  // All channels last; x0 and x1 have one channel each. Gives the new x1.
  Value reverse(const Value& x0, const Value& x1, const Mask& mask, const Value& g) const;
};

struct StochasticDurationPredictor {
  Linear pre;
  std::optional<Linear> cond, cond_lang;
  DDSConv convs;
  Linear proj;
  std::vector<ConvFlow> flows;  // in the order in which they are run: the last trained comes first
  Tensor m, logs;               // ElementwiseAffine, [2, 1]

  StochasticDurationPredictor(const Weights& w, const DurationConfig& config);

  // The logarithm of each phoneme's frames: channels last, one channel. `noise` are two such
  // channels of normal noise, times its scale. g [b, 1, gin] and language [b, 1, c], where there
  // are such.
  Value operator()(Value x, const Mask& mask, const std::optional<Value>& g,
                   const std::optional<Value>& language, std::pair<Value, Value> noise) const;
};

}  // namespace voxport::vits
