// A folder for targets whose readers take files, and what may fail without an end of the input.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <stdlib.h>
#include <voxport/error.h>

namespace voxport {

// One folder for the whole process.
inline const std::filesystem::path& folder() {
  namespace fs = std::filesystem;
  static const fs::path& once = *new fs::path([] {
    std::string name = (fs::temp_directory_path() / "voxport_fuzz_XXXXXX").string();
    return fs::path(mkdtemp(name.data()));
  }());
  static const int registered = std::atexit([] { fs::remove_all(folder()); });
  (void)registered;
  return once;
}

template <class Body>
void try_to(Body&& body) {
  try {
    body();
  } catch (const Error&) {
  }
}

}  // namespace voxport
