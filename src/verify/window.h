// Windows: operators that need a number of elements at once, and so give an axis a least size.
#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"

namespace voxport {

// What makes the operator need a least size, for people: "its kernel of 10". Nothing where the
// operator takes every size, or where what it needs may be a size that was baked in.
//
// A convolution, a pooling and an STFT need as many elements as their window has; a reflection
// needs one more than it adds; what makes an axis shorter needs so many that one is left. All of
// that is written in the network's definition, and no example can have changed it. A Slice, a
// Gather, a Reshape or a TopK with numbers may have them from the example: those are no windows. A
// Slice that takes away a single element is one.
std::optional<std::string> window_of(const Node& node);

}  // namespace voxport
