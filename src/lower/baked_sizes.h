// Sizes of outputs that tracing baked into a program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "lower/lower.h"
#include "program/program.h"

namespace voxport {

// One warning for each axis of an output that is fixed at the size which a dynamic axis of an input
// had when the program was saved: tracing took the size for a number. Where the file does not
// record those sizes, and `has_named_axes`, any number that a traced call makes a tensor of may be
// one, if no axis of the output is dynamic. A number in a script is its author's.
std::vector<std::string> baked_size_warnings(const Program& program, const LowerOptions& options,
                                             const Graph& graph,
                                             const std::vector<FixedOutput>& outputs,
                                             bool has_named_axes);

// Whether `by` ("aten.zeros at net.py:3") is a call that makes a tensor, in a program that was
// traced: the numbers in it may be sizes of the example.
bool is_traced_creation(const Program& program, std::string_view by);

}  // namespace voxport
