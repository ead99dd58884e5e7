#pragma once

#include "arch/architecture.h"

namespace voxport::vits {

std::optional<std::string> recognise(const NamedTensors& tensors);

// What the family is called whose weights these are: "VITS (Piper)".
std::string_view title_of(const NamedTensors& tensors);

}  // namespace voxport::vits
