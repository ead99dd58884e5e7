#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace voxport {

// Whether a name, such as that of a symbol, is one of these.
inline bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace voxport
