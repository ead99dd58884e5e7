// TorchScript archives, traced and scripted: source, attributes and constants.
// docs/formats/torchscript.md
#pragma once

#include "checkpoint/saved_file.h"
#include "program/program.h"

namespace voxport {

// Reads the module's forward(), with the methods it calls written out in place. Weights stay in the
// file until asked for. Fails with kCorrupt where the archive or its source breaks a rule, and with
// kUnsupported, naming it, for what has no place in a program.
Program read_torchscript(const SavedFile& file);

}  // namespace voxport
