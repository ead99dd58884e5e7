// printable() (base/text.h) for what is more than a name: whole messages, and JSON.
#pragma once

#include <string>
#include <string_view>

namespace voxport {

// Each line of a message as printable() shows it, not cut.
std::string printable_lines(std::string_view text);

// JSON text that means the same, with the characters that printable() does not show as \u2028.
std::string printable_json(std::string_view json);

}  // namespace voxport
