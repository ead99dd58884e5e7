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

// A sequence that is a row of batches, and what goes with each of its pieces.
struct RowSequence {
  Tensor sequence;  // [1, c, t]
  Tensors others;   // [1, ...] each
};

// What the graph, each row of which has a place of its own, makes of these sequences: of each its
// first output, as far as `lengths` says. They are run as a server would: at most `slots` of them
// at a time, the oldest first, in batches of those whose next pieces are equally wide, with a row
// of the state for each; at first it is no number, which no row may take. Pieces have the width,
// and the last ones what is left.
std::vector<std::vector<float>> samples_of_rows(const Session& graph, const std::string& name,
                                                const std::vector<RowSequence>& sequences,
                                                std::int64_t width, std::size_t slots);

}  // namespace voxport
