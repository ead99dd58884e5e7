// Programs on their way to a graph.
#pragma once

#include <memory>
#include <string>

#include <voxport/export.h>

#include "api/program_inputs.h"
#include "base/blob.h"
#include "checkpoint/checkpoint.h"
#include "graph/graph.h"
#include "program/program.h"

namespace voxport {

// Reads a torch.export or a TorchScript archive. `model` chooses one of several in a .pt2, and
// fails with kUsage where there is nothing to choose from.
Program read_program(const Blob& file, FileKind kind, const std::string& model);

// Lowers until no axis is called free that the program holds: an axis that a node holds at a number
// has that number, and axes of examples that must be equal are one. The plan tells in the end what
// the inputs became, the report what a person should know.
std::unique_ptr<Graph> lower_as_free_as_it_is(const Program& program, InputPlan& plan,
                                              ExportReport& report);

}  // namespace voxport
