// Piper's trainer: the original's network below "model_g." of a Lightning module.
#pragma once

#include "arch/vits/family.h"

namespace voxport::vits {

bool is_piper(const NamedTensors& tensors);
Translation translate_piper(const FamilySource& source);

}  // namespace voxport::vits
