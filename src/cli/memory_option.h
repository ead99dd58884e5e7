// --memory GB, which the commands that speak have in common.
#pragma once

#include <cstdint>

#include "cli/arguments.h"

namespace voxport {

// Declares the option; `bytes` gets what is given, and has to outlive `app`.
void add_memory_option(Arguments& app, std::uint64_t& bytes);

}  // namespace voxport
