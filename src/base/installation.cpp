#include "base/installation.h"

#include <dlfcn.h>

#include <link.h>

namespace voxport {

namespace fs = std::filesystem;

namespace {

struct Own {
  fs::path file;
  bool is_program;
};

// Whether a function is in a shared library, and not in the program itself. The name that dladdr()
// has for the program is what it was called by, so that only the loader's own list tells.
bool is_in_library(const void* function) {
  Dl_info info{};
  void* map = nullptr;
  return dladdr1(function, &info, &map, RTLD_DL_LINKMAP) != 0 &&
         *static_cast<const link_map*>(map)->l_name != '\0';
}

Own own() {
  const auto* const self = reinterpret_cast<const void*>(&own);
  if (is_in_library(self)) return {file_of(self), false};
  std::error_code ignored;
  return {fs::read_symlink("/proc/self/exe", ignored), true};
}

}  // namespace

fs::path file_of(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0 || !info.dli_fname) return {};
  std::error_code ignored;
  const fs::path whole = fs::canonical(info.dli_fname, ignored);
  return whole.empty() ? fs::path(info.dli_fname) : whole;
}

fs::path own_folder() { return own().file.parent_path(); }

fs::path installed_folder() {
  const auto [file, is_program] = own();
  if (file.empty()) return {};
  const fs::path from_it = is_program ? VOXPORT_INSTALLED_FROM_PROGRAM : "voxport";
  return (file.parent_path() / from_it).lexically_normal();
}

}  // namespace voxport
