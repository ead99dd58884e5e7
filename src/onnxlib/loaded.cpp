// In place of linked.cpp, so that nothing that can do without ONNX's library waits for it to be
// loaded: it takes longer than to list a checkpoint.
#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <string_view>

#include <voxport/version.h>

#include "base/fail.h"
#include "base/installation.h"
#include "onnxlib/functions.h"

namespace voxport {
namespace {

constexpr const char* kFile = "voxport-onnx.so";

// Where it is installed, then where it is built.
std::filesystem::path find_library() {
  const std::filesystem::path installed = installed_folder() / kFile;
  const std::filesystem::path built = own_folder() / kFile;
  std::error_code ignored;
  for (const std::filesystem::path& path : {installed, built})
    if (std::filesystem::exists(path, ignored)) return path;
  fail(Error::kUnsupported, "there is no ", kFile, ", which checks models by ONNX's own library",
       "\n  tried    ", printable(installed.native()), ", ", printable(built.native()));
}

const VoxportOnnxFunctions& load() {
  const std::filesystem::path path = find_library();
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) fail(Error::kUnsupported, "models cannot be checked: ", printable(dlerror(), 500));
  const auto functions =
      reinterpret_cast<decltype(&voxport_onnx_functions)>(dlsym(library, "voxport_onnx_functions"));
  const std::string_view version = functions ? functions()->version : "none";
  if (version != kVersion)
    fail(Error::kUnsupported, in_quotes(path.native()), " belongs to voxport ", printable(version),
         ", expected ", kVersion);
  return *functions();
}

}  // namespace

// Never unloaded, as it has registered what it knows.
const VoxportOnnxFunctions& onnx_functions() {
  static const VoxportOnnxFunctions& once = load();
  return once;
}

}  // namespace voxport
