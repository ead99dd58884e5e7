// The export of a checkpoint whose network voxport knows.
#pragma once

#include <span>

#include "arch/architecture.h"
#include "export/work.h"

namespace voxport {

// Has the architecture that the weights belong to plan the export, and writes what is planned.
// Fails with kUnsupported when they belong to none, and with kUsage when options are those of
// another.
void export_checkpoint(ExportWork& work, std::span<const Architecture> known = architectures());

}  // namespace voxport
