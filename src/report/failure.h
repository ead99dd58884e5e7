// Failure: what an exception comes to for those who cannot catch it, on the command line and behind
// the C interface: the same code and the same words.
#pragma once

#include <string>

#include <voxport/exit_code.h>

namespace voxport {

struct Failure {
  ExitCode code = kExitInternal;
  std::string text;    // lines that may be printed
  std::string option;  // Error::option()
};

// Of the exception that is being handled. May throw std::bad_alloc.
Failure current_failure();

}  // namespace voxport
