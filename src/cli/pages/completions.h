// Scripts that complete a command line in a shell: commands, options, the values of an option that
// has few, and files, folders or programs where it takes one.
#pragma once

#include <string>

#include "cli/described.h"

namespace voxport {

std::string bash_completions(const DescribedProgram& program);
std::string zsh_completions(const DescribedProgram& program);
std::string fish_completions(const DescribedProgram& program);

}  // namespace voxport
