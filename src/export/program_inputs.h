// What the inputs of a program are to be: what the file tells, and above it what the caller says.
#pragma once

#include <string>
#include <vector>

#include <voxport/export.h>

#include "lower/lower.h"
#include "program/program.h"

namespace voxport {

// One --input: a name, an element type and a shape, of which the last two may be missing.
// "x:f32[batch_size,10]", "x:f32", "x". Fails with kUsage where it is none.
InputChoice parse_input(const std::string& text);

// The program's inputs under the names and with the shapes that the options ask for.
struct InputPlan {
  LowerOptions lower;
  // Symbols that stand for axes of which the file tells but an example: they are free until
  // something in the program holds them.
  std::vector<std::string> guessed;
};

// Fails with kUsage, with the list of what there is, where an option names an input or an axis that
// the program does not have, or contradicts what the file tells.
InputPlan plan_inputs(const Program& program, const ExportOptions& options);

}  // namespace voxport
