// What a TorchScript program is run with: the arguments of its forward method, or of another.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/object.h"
#include "program/program.h"
#include "program/torchscript_syntax.h"

namespace voxport {

// The value of a default; nothing where it is no literal and no constant of the archive.
using DefaultValue = std::function<std::optional<Argument>(const Expr&)>;

// Adds the inputs, and to the main block the calls that put lists and dicts of them together. Gives
// the value of every argument after self. `traced_inputs` is what the archive tells of the inputs
// it was traced with, None where nothing. Fails with kUnsupported for arguments of other types.
std::vector<std::pair<std::string_view, Argument>> add_inputs(Program& program,
                                                              const FunctionSource& method,
                                                              const Object& traced_inputs,
                                                              const DefaultValue& default_value);

}  // namespace voxport
