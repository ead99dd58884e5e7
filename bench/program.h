// What the programs of the benchmarks have in common.
#pragma once

#include <iostream>

#include <voxport/exit_code.h>

#include "base/fail.h"

namespace voxport {

// Runs the program; errors are told under its name, and give the exit code.
inline int run_program(const char* name, int (*program)(int, char**), int argc, char** argv) {
  try {
    return program(argc, argv);
  } catch (const Error& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return exit_code_of(error);
  }
}

}  // namespace voxport
