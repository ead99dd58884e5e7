#pragma once

#include "arch/architecture.h"

namespace voxport::fastspeech2 {

std::optional<std::string> recognise(const NamedTensors& tensors);

}  // namespace voxport::fastspeech2
