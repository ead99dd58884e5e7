// The sizes of a HiFi-GAN generator, be it a vocoder or the decoder of a VITS.
#pragma once

#include "arch/blocks/hifigan.h"
#include "arch/blocks/settings.h"

namespace voxport::hifigan {

// The config of the generator whose weights lie at `w`, but for the channels that it is given and
// of its speakers. Sizes are read off the tensors unless the settings have them; what no shape
// tells (rates and dilations) is in the settings, or in a trainer's preset that fits the shapes.
// Mistakes are for settings.report().
Config read_generator_config(const Weights& w, Settings& settings);

// Notes as a mistake when the setting of that name is there and is not `hop`, which `made_by` make.
void check_hop(std::int64_t hop, std::string_view name, Settings& settings,
               std::string_view made_by = "'upsample_rates'");

}  // namespace voxport::hifigan
