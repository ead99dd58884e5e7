// Which names a pickle may use. docs/formats/pickle.md
#pragma once

#include <string_view>

namespace voxport {

enum class Danger {
  kHarmless,   // known, and known to do nothing but make values
  kUnknown,    // not known to be harmless
  kDangerous,  // known to run commands, code or another file
};

// Judges a global by its module and name. What is not known to be harmless is not called harmless.
Danger judge_global(std::string_view module_and_name);

}  // namespace voxport
