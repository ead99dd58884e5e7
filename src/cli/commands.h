// The table of all commands, and what stands above and below it in `voxport --help`.
#pragma once

#include "cli/arguments.h"

namespace voxport {

CommandLine command_line();

}  // namespace voxport
