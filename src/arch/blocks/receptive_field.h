// The receptive field of a graph, told by its nodes alone.
#pragma once

#include <string_view>

#include "arch/blocks/hifigan.h"
#include "graph/graph.h"

namespace voxport {

// How many steps of the input to the left and to the right of a step the `stretch` samples of the
// output depend on that belong to it. Time is the last axis, and what has no time has one step
// there. Asks for a graph of convolutions, transposed ones, and what works on each step alone.
// Fails with kInternal at any other node.
ReceptiveField receptive_field_of(const Graph& graph, std::string_view input,
                                  std::string_view output, std::int64_t stretch);

// Fails with kInternal when that is another than the layers tell of themselves.
void check_receptive_field(const ReceptiveField& of_layers, const Graph& graph,
                           std::string_view input, std::string_view output, std::int64_t stretch);

}  // namespace voxport
