// A process of its own for work that a file may make endless, or too large, or crash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace voxport {

// Parts the process in two. In the child nothing comes back: it goes on, may take no more than
// `memory` bytes, and is ended when it does not call keep_child_for() in time. The parent waits for
// the child, and gives the exit code that the child ended with. Fails with kUnsupported, naming
// `what` is worked on, where the child did not come to an end of its own.
std::optional<int> leave_to_child(std::uint64_t memory, const std::string& what);

// In the child: it may go on for so long from now; 0 for any time.
void keep_child_for(double seconds);

}  // namespace voxport
