// What the system tells about memory.
#pragma once

#include <cstdint>

namespace voxport {

// Bytes; 0 where the system does not tell.
std::uint64_t memory_of_machine();
// The most that this process ever had at once.
std::uint64_t peak_memory();

}  // namespace voxport
