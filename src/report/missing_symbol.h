// What is told of a symbol that a voice does not know, on the command line and behind the C
// interface.
#pragma once

#include <string>

#include "base/text.h"

namespace voxport {

inline std::string missing_symbol_text(const std::string& symbol) {
  return cat("the voice has no symbol ", in_quotes(symbol), ", which is left out");
}

}  // namespace voxport
