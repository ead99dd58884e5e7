#include "base/installation.h"

#include <dlfcn.h>

namespace voxport {

namespace fs = std::filesystem;

namespace {

struct Own {
  fs::path file;
  bool is_program;
};

Own own() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path file = file_of(reinterpret_cast<const void*>(&own));
  if (file.empty() || file == program) return {program, true};
  return {file, false};
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
