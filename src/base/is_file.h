#pragma once

#include <filesystem>
#include <system_error>

namespace voxport {

// Whether it is a regular file, or a link to one. A path that cannot be looked up, because a name
// in it is too long or a folder may not be entered, is that of no file.
inline bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace voxport
