// The parts of inspect() that only programs have.
#pragma once

#include <voxport/inspect.h>

#include "program/program.h"

namespace voxport {

// All but the tensors. Lowers the program with the shapes that the file tells, to know its outputs.
ProgramInfo describe_program(const Program& program);

}  // namespace voxport
