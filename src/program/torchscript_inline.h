// TorchScript's source, written out: methods and functions in place of their calls, attributes by
// their values, statements as calls of operators.
#pragma once

#include <string>

#include "program/program.h"
#include "program/torchscript_archive.h"

namespace voxport {

// The program of a method of the module, such as forward. Attributes that it assigns after it has
// read them are the program's states. Fails with kUsage, naming all there are, where the module has
// no such method, with kCorrupt where the source does not fit the pickled module, and with
// kUnsupported for what has no place in a program; both tell the line.
Program inline_method(TorchScriptArchive& archive, const std::string& method);

}  // namespace voxport
