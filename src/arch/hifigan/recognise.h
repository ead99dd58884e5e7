#pragma once

#include "arch/architecture.h"

namespace voxport::hifigan {

std::optional<std::string> recognise(const NamedTensors& tensors);

}  // namespace voxport::hifigan
