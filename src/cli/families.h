// Names that are numbered, state_0 to state_64: what is said of each of them alike is said once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace voxport {

// The least members that are worth a line of their own together.
constexpr std::size_t kLeastFamily = 4;

// The part before the number that a name ends in; nothing when it ends in none, or is a number
// alone.
std::optional<std::string> family_of(std::string_view name);

// "z:0, state_0 to state_64:0": names with an axis each, in order. Families of at least
// kLeastFamily members on one axis are told by their first and their last.
std::string places_text(const std::vector<std::pair<std::string, std::size_t>>& places);

// "48, 96": each once, in order, cut after a few.
std::string distinct_text(const std::vector<std::string>& texts);

}  // namespace voxport
