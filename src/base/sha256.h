// The hash that ties a model to the file it was made of.
#pragma once

#include <filesystem>
#include <future>
#include <string>

namespace voxport {

// The SHA-256 of a file, as sha256sum prints it, computed while the caller goes on. The file is
// read through a small buffer.
std::future<std::string> hash_in_background(std::filesystem::path path);

}  // namespace voxport
