#pragma once

#include "arch/architecture.h"

namespace voxport::vits {

std::optional<std::string> recognise(const NamedTensors& tensors);

}  // namespace voxport::vits
