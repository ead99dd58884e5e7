// Which names a pickle may import. docs/scan.md
#pragma once

#include <string_view>

namespace voxport {

enum class Danger {
  kHarmless,   // known, and known to do nothing but make values
  kUnknown,    // not known to be harmless
  kDangerous,  // known to run commands, code or another file
};

// Judges the import of a global. What is not known to be harmless is not called harmless; what is
// known is harmless in the uses that checkpoint/harmless.h lists.
Danger judge_global(std::string_view module, std::string_view name);

// The same for "os.system". Of "os.system(...)", the result of a call, the callee is judged; it is
// never harmless to call one.
Danger judge_global(std::string_view module_and_name);

}  // namespace voxport
