// The sizes of a generator with an inverse STFT.
#pragma once

#include <optional>

#include "arch/blocks/istft_generator.h"
#include "arch/blocks/settings.h"

namespace voxport::istft {

// The kind of generator whose weights lie at `w`; nothing when it has no inverse STFT.
std::optional<Kind> kind_of(const Weights& w);

// The config of the generator at `w`, whose stages have the sizes `stages`; nothing when it has no
// inverse STFT. What no shape tells (the hop, and the subbands behind PQMF) is in the settings.
// Mistakes are for settings.report().
std::optional<Config> read_config(const Weights& w, const hifigan::Config& stages,
                                  Settings& settings);

}  // namespace voxport::istft
