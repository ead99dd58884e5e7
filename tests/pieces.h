// Runs a graph with caches on a sequence, piece by piece.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/session.h"

namespace voxport {

// What the graph makes of `sequence` [b, c, t], its input of the name `name`, in pieces of these
// widths and a last one of what is left, put together: its first output. `others` are given to all.
Tensor output_in_pieces(const Session& graph, const std::string& name, const Tensor& sequence,
                        const std::vector<std::int64_t>& widths, const Tensors& others = {});

}  // namespace voxport
