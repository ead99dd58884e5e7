// What a shared library says of itself, read without loading it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace voxport {

// The names of the libraries that it needs, such as "libonnx.so.1". None where the file cannot be
// read or is no 64-bit ELF file: then the loader says why.
std::vector<std::string> needed_libraries(const std::filesystem::path& library);

}  // namespace voxport
