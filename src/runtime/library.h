// Where ONNX Runtime comes from. It is a shared library, looked for once, when first needed:
//
//   1. $VOXPORT_ONNXRUNTIME, a file; nothing else is tried when this is set
//   2. lib/voxport beside the bin/ that the program is in
//   3. third_party/onnxruntime, where voxport was built
//
// What the system has is taken only when it is named: it may be any version, and Debian's shares
// libonnx with us, in which both would register their operators. A library that needs libonnx is
// therefore loaded with copies of its own of all that it needs.
//
// Its telemetry is off: ORT_DISABLE_TELEMETRY=1 is set in the environment before main(), whatever
// it was, and the API is told so as well.
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
