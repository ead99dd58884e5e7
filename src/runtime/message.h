// The words of ONNX Runtime, for people.
#pragma once

#include <string>
#include <string_view>

namespace voxport {

// The message on one line, without the places in ONNX Runtime's own sources.
std::string plain_message(std::string_view message);

// Whether it says that memory could not be had.
bool is_out_of_memory(std::string_view message);

}  // namespace voxport
