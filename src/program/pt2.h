// torch.export archives (.pt2), of every layout from PyTorch 2.1 on. docs/formats/pt2.md
#pragma once

#include "checkpoint/saved_file.h"
#include "program/program.h"

namespace voxport {

// Reads the graph; weights stay in the file until asked for. `model` chooses one of several in an
// archive, empty where there is one. Fails with kCorrupt where the archive breaks a rule, and with
// kUnsupported, naming it, for what would need Python's code.
Program read_pt2(const SavedFile& file, std::string_view model = "");

}  // namespace voxport
