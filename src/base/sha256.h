// The hash that ties a model to the file it was made of.
#pragma once

#include <filesystem>
#include <future>
#include <string>
#include <string_view>

namespace voxport {

// The SHA-256 of the text, as sha256sum prints it.
std::string sha256_of(std::string_view text);

// The same of a file, computed while the caller goes on. The file is
// read through a small buffer.
std::future<std::string> hash_in_background(std::filesystem::path path);

}  // namespace voxport
