// A process of its own for work that a file may make endless, or too large, or crash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace voxport {

struct ChildLimits {
  std::uint64_t memory = 0;  // bytes
  double seconds = 0;        // until may_take_any_time()
};

// Parts the process in two. In the child nothing comes back, and it goes on within the limits. The
// parent waits for the child, and gives the exit code that the child ended with. It ends the child
// when the time is over, and then, or when the child crashed, fails with kUnsupported: `model` is
// what was checked. A signal that ends the program or the child is thrown as EndedBySignal.
//
// Temporary files of the child are in a folder that the parent makes, where it can, and removes
// however the child ends.
std::optional<int> leave_to_child(const ChildLimits& limits, const std::string& model);

// In the child: what is being done now, for the message when the time is over.
void tell_parent(std::string_view doing);

// In the child: at which sizes the model is run next, for the message when it crashes.
void tell_parent_of_run(std::string_view sizes);

// In the child: from now on there is no limit to the time, as whoever reads a report may take any.
void may_take_any_time();

}  // namespace voxport
