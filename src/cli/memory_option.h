// --memory GB, which the commands that speak have in common.
#pragma once

#include <cstdint>

namespace CLI {
class App;
}

namespace voxport {

// Declares the option; `bytes` gets what is given, and has to outlive `app`.
void add_memory_option(CLI::App& app, std::uint64_t& bytes);

}  // namespace voxport
