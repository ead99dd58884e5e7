// Base64, as RFC 4648 has it.
#pragma once

#include <string>
#include <string_view>

namespace voxport {

std::string to_base64(std::string_view bytes);

}  // namespace voxport
