// Programs on their way to a graph.
#pragma once

#include <memory>
#include <string>

#include <voxport/export.h>

#include "base/blob.h"
#include "checkpoint/checkpoint.h"
#include "export/program_inputs.h"
#include "export/work.h"
#include "graph/graph.h"
#include "program/program.h"

namespace voxport {

// The export of a program, which becomes one graph. Fails with kUsage where options are those of
// checkpoints.
void export_program(ExportWork& work, FileKind kind);

// Lowers until no axis is called free that the program holds: an axis that a node holds at a number
// has that number, and axes of examples that must be equal are one. The plan tells in the end what
// the inputs became, the report what a person should know.
std::unique_ptr<Graph> lower_as_free_as_it_is(const Program& program, InputPlan& plan,
                                              ExportReport& report);

}  // namespace voxport
