// A program of either format.
#pragma once

#include <string>

#include "checkpoint/checkpoint.h"
#include "program/program.h"

namespace voxport {

// Reads a torch.export or a TorchScript archive. `model` chooses one of several in a .pt2, and
// fails with kUsage where there is nothing to choose from.
Program read_program(const SavedFile& file, FileKind kind, const std::string& model);

}  // namespace voxport
