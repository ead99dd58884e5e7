// What an operator of PyTorch may do besides computing.
#pragma once

#include <string_view>

#include "checkpoint/scan.h"

namespace voxport {

// Judges an operator by its namespace and name, without an overload: "aten.add", "prim.device",
// "image.read_file". Dangerous ones touch files, processes or the network; unknown ones are those
// that are not known to do nothing but compute.
Danger judge_operator(std::string_view name);

// The same for a class that C++ code registers, "quantized.LinearPackedParamsBase".
Danger judge_script_class(std::string_view name);

// Whether a __setstate__ may call it: operators that pack the weights of quantized layers, and
// those that compare and look.
bool may_run_at_load(std::string_view name);

}  // namespace voxport
