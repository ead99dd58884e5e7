// The export of a program: a torch.export or TorchScript archive.
#pragma once

#include "checkpoint/checkpoint.h"
#include "export/work.h"

namespace voxport {

// The program becomes one graph. Fails with kUsage where options are those of checkpoints.
void export_program(ExportWork& work, FileKind kind);

}  // namespace voxport
