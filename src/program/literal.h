// Values as Python writes them, where they are one word.
#pragma once

#include <optional>
#include <string_view>

#include "program/program.h"

namespace voxport {

// What None, True, False and numbers stand for (12, -0.5, 1e-05, 1., inf, nan, 2j, 1.5-2j); nothing
// for other words, and for ints beyond 64 bits.
std::optional<Argument> literal_of(std::string_view word);

}  // namespace voxport
