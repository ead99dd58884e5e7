// A program of either format.
#pragma once

#include <string>

#include "checkpoint/checkpoint.h"
#include "program/program.h"

namespace voxport {

// Reads a torch.export or a TorchScript archive. `model` chooses one of several in a .pt2, `method`
// a method of a TorchScript module other than forward; where there is nothing to choose from,
// either fails with kUsage.
Program read_program(const SavedFile& file, FileKind kind, const std::string& model,
                     const std::string& method = "");

}  // namespace voxport
