// Manual pages: voxport(1), and one for each command. Options are what the command line declares;
// what is said of them, and all other text, is that of docs/cli.md.
#pragma once

#include <string>

#include "cli/described.h"
#include "cli/pages/reference.h"

namespace voxport {

using Reference = std::map<std::string, Section>;

// The page of the program.
std::string manual_page(const DescribedProgram& program, const Reference& reference);

// "voxport-export", and its page.
std::string manual_name(const DescribedProgram& program, const DescribedCommand& command);
std::string manual_page(const DescribedProgram& program, const DescribedCommand& command,
                        const Reference& reference);

}  // namespace voxport
