// Names of PyTorch's own operators that no program for inference has, but that its source may name.
#pragma once

#include <span>
#include <string_view>

namespace voxport {

// Without their namespace, in order. Those that reach files or other machines are not among them.
std::span<const std::string_view> more_aten_names();

}  // namespace voxport
