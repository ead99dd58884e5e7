// The original trainer (jaywalnut310/vits), and the forks that keep its names: G_*.pth, with a
// config.json of the sections train, data and model. Also the bare weights of a Piper voice.
#pragma once

#include "arch/vits/family.h"

namespace voxport::vits {

bool is_original(const NamedTensors& tensors);
Translation translate_original(const FamilySource& source);

// The tensors as they are, for families that have the original's names.
NamedTensors unchanged_names(const NamedTensors& tensors);

}  // namespace voxport::vits
