// What a TorchScript program is run with: the arguments of its forward method.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/object.h"
#include "program/program.h"
#include "program/torchscript_syntax.h"

namespace voxport {

// Adds the inputs, and to the main block the calls that put lists and dicts of them together. Gives
// the value of every argument after self. `traced_inputs` is what the archive tells of the inputs
// it was traced with, None where nothing. Fails with kUnsupported for arguments of other types.
std::vector<std::pair<std::string_view, Argument>> add_inputs(Program& program,
                                                              const FunctionSource& forward,
                                                              const Object& traced_inputs);

}  // namespace voxport
