// What somebody may have meant.
#pragma once

#include <span>
#include <string_view>

namespace voxport {

// The word that is the fewest typing mistakes away: letters that are missing, too many, others, or
// in the wrong order. Empty when that is more than two, or more than half of the word.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace voxport
