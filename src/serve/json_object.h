// The JSON that all protocols are made of.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace voxport {

// The JSON object that the text is. Fails with a Refusal: not JSON, not UTF-8, too deep, no object.
nlohmann::json parse_object(std::string_view text);

}  // namespace voxport
