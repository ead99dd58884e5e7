// Made-up weights for the stages of a generator.
#pragma once

#include <cstdint>
#include <string>

#include "arch/blocks/hifigan.h"
#include "base/text.h"
#include "tests/arch/made_up.h"

namespace voxport::hifigan {

inline void add_conv(MadeUpWeights& weights, const std::string& name, std::int64_t out,
                     std::int64_t in, std::int64_t kernel) {
  weights.add_random(name + ".weight", {out, in, kernel});
  weights.add_random(name + ".bias", {out});
}

inline void add_resblock(MadeUpWeights& weights, const Config& config, std::size_t stage,
                         std::size_t j) {
  const std::size_t index = stage * config.resblock_kernel_sizes.size() + j;
  const std::int64_t channels = config.channels(stage);
  const std::int64_t kernel = config.resblock_kernel_sizes[j];
  for (std::size_t i = 0; i < config.resblock_dilation_sizes[j].size(); ++i) {
    if (!config.is_resblock1) {
      add_conv(weights, cat("resblocks.", index, ".convs.", i), channels, channels, kernel);
      continue;
    }
    add_conv(weights, cat("resblocks.", index, ".convs1.", i), channels, channels, kernel);
    add_conv(weights, cat("resblocks.", index, ".convs2.", i), channels, channels, kernel);
  }
}

inline void add_stages(MadeUpWeights& weights, const Config& config) {
  add_conv(weights, "conv_pre", config.upsample_initial_channel, config.in_channels, 7);
  if (config.gin_channels != 0)
    add_conv(weights, "cond", config.upsample_initial_channel, config.gin_channels, 1);
  for (std::size_t i = 0; i < config.upsample_rates.size(); ++i) {
    const std::int64_t in = config.upsample_initial_channel >> i;
    weights.add_random(cat("ups.", i, ".weight"),
                       {in, config.channels(i), config.upsample_kernel_sizes[i]});
    weights.add_random(cat("ups.", i, ".bias"), {config.channels(i)});
    for (std::size_t j = 0; j < config.resblock_kernel_sizes.size(); ++j)
      add_resblock(weights, config, i, j);
  }
}

}  // namespace voxport::hifigan
