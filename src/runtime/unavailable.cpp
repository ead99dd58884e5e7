// Stands in for the sources of ONNXRUNTIME_SOURCES (cmake/onnxruntime.cmake) where voxport is built
// without ONNX Runtime's header.
#include "base/fail.h"
#include "runtime/library.h"
#include "runtime/session.h"

namespace voxport {
namespace {

[[noreturn]] void fail_unavailable() {
  fail(Error::kUnsupported,
       "this voxport cannot run models: it was built without ONNX Runtime's headers "
       "(run tools/onnxruntime in its sources, and build it again)");
}

}  // namespace

Session::Session(const std::filesystem::path&, const SessionOptions&) { fail_unavailable(); }
Session Session::from_bytes(const Blob&, const std::string&, const SessionOptions&) {
  fail_unavailable();
}
Tensors Session::run(const Tensors&, std::span<const std::string>) const { fail_unavailable(); }

std::string runtime_version() { fail_unavailable(); }
std::filesystem::path runtime_path() { fail_unavailable(); }
void start_runtime() { fail_unavailable(); }

}  // namespace voxport
