// What the command line exits with: the only list of these codes.
//
// A process that a signal ended has no exit code; shells show 128 and the number of the signal: 130
// after Ctrl-C, 141 when nobody reads what it writes to standard output.
#pragma once

#include <voxport/error.h>

namespace voxport {

enum ExitCode : int {
  kExitDone = 0,
  kExitCheckFailed = 1,  // `check`: an axis, a name or a comparison did not hold; `export`: an axis
                         // that was declared dynamic is fixed; only that
  kExitUsage = 2,        // options and arguments that make no sense, names that do not exist
  kExitUnreadable = 3,   // a file that cannot be read, is corrupt, or does not fit the others
  kExitUnsupported = 4,  // a good file that is not supported, or needs more time or memory than
                         // there is
  kExitDangerous = 5,    // `inspect --scan`: suspicious or dangerous
  kExitUnwritable = 6,   // files, standard output or a sound device that cannot be written
  kExitInternal = 70,    // a bug in voxport
};

// The code for an error that ends the program.
inline ExitCode exit_code_of(const Error& error) {
  switch (error.kind()) {
    case Error::kMismatch:
    case Error::kUnreadable:
    case Error::kCorrupt: return kExitUnreadable;
    case Error::kNotDynamic: return kExitCheckFailed;
    case Error::kUsage: return kExitUsage;
    case Error::kUnsupported: return kExitUnsupported;
    case Error::kUnwritable: return kExitUnwritable;
    case Error::kInternal: break;
  }
  return kExitInternal;
}

}  // namespace voxport
