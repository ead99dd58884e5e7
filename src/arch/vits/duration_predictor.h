// How long each phoneme lasts, told by a few convolutions. vits/models.py DurationPredictor.
#pragma once

#include <optional>

#include "arch/blocks/layers.h"
#include "arch/blocks/mask.h"
#include "arch/vits/config.h"

namespace voxport::vits {

struct DurationPredictor {
  Conv1d conv_1;
  LayerNorm norm_1;
  Conv1d conv_2;
  LayerNorm norm_2;
  Linear proj;
  std::optional<Linear> cond, cond_lang;

  DurationPredictor(const Weights& w, const DurationConfig& config);

  // The logarithm of each phoneme's frames: channels last, one channel. g [b, 1, gin] and language
  // [b, 1, c], where there are such.
  Value operator()(Value x, const Mask& mask, const std::optional<Value>& g,
                   const std::optional<Value>& language) const;
};

}  // namespace voxport::vits
