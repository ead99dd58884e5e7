// TorchScript's source, written out: methods and functions in place of their calls, attributes by
// their values, statements as calls of operators.
#pragma once

#include "program/program.h"
#include "program/torchscript_archive.h"

namespace voxport {

// The program of the module's forward(). Fails with kCorrupt where the source does not fit the
// pickled module, and with kUnsupported for what has no place in a program; both tell the line.
Program inline_forward(TorchScriptArchive& archive);

}  // namespace voxport
