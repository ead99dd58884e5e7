// Where the files are that are installed with the program or the library that this is part of.
#pragma once

#include <filesystem>

namespace voxport {

// The program or shared library that the function is in; nothing where the system does not tell.
std::filesystem::path file_of(const void* function);

// The folder of the program that this is part of, or of libvoxport.so.0; nothing where the system
// does not tell.
std::filesystem::path own_folder();

// LIBDIR/voxport, for that program or library; nothing where the system does not tell.
std::filesystem::path installed_folder();

}  // namespace voxport
