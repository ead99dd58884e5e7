// TorchScript archives, traced and scripted: source, attributes and constants.
// docs/formats/torchscript.md
#pragma once

#include <string>

#include "checkpoint/saved_file.h"
#include "program/program.h"

namespace voxport {

// Reads a method of the module, with the methods it calls written out in place. Weights stay in the
// file until asked for. Fails with kUsage where there is no such method, with kCorrupt where the
// archive or its source breaks a rule, and with kUnsupported, naming it, for what has no place in a
// program.
Program read_torchscript(const SavedFile& file, const std::string& method = "forward");

}  // namespace voxport
