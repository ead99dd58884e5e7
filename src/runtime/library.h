// Where ONNX Runtime comes from. It is a shared library, looked for once, when first needed:
//
//   1. $VOXPORT_ONNXRUNTIME, a file; nothing else is tried when this is set
//   2. lib/voxport beside the bin/ that the program is in
//   3. third_party/onnxruntime, where voxport was built
//   4. wherever the system keeps its libraries
//
// It says nothing on its own, unless $VOXPORT_ONNXRUNTIME_LOG is set: then its warnings and errors
// go to standard error.
#pragma once

#include <filesystem>
#include <string>

namespace voxport {

// "1.30.0", and the file it is. Both fail with kUnsupported, and tell how to get it, where there
// is none.
std::string runtime_version();
std::filesystem::path runtime_path();

// Does now what the first session would have to wait for, some 100 ms; may be called on a thread of
// its own. Fails in the same way.
void start_runtime();

}  // namespace voxport
