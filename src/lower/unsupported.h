// Why an operator has no row in the table, where there is a reason to give.
#pragma once

#include <string_view>

namespace voxport {

// Of an operator without a row, by its name ("aten.linalg_svd"); empty where there is none.
std::string_view why_unsupported(std::string_view name);

}  // namespace voxport
