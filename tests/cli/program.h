// The program as a person or a script meets it: exit code, standard output, standard error.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/data.h"
#include "tests/temporary_folder.h"

namespace voxport {

struct Result {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// `arguments` go through the shell, so that tests read as one would type; `before` stands before
// the program.
inline Result run_program(const std::string& program, const std::string& arguments,
                          const std::string& before = "") {
  const TemporaryFolder folder;
  const std::string command = before + " '" + program + "' " + arguments + " >'" +
                              (folder / "out").string() + "' 2>'" + (folder / "err").string() + "'";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder / "out"),
          contents(folder / "err")};
}

inline Result run(const std::string& arguments, const std::string& before = "") {
  return run_program(VOXPORT_PROGRAM, arguments, before);
}

// Exports a voice for a test: by the program, so that a test with a sanitizer need not build the
// rooms that do.
inline void export_voice(const std::string& arguments) {
  const Result result = run("export --quiet --no-check " + arguments);
  if (result.exit_code != 0) throw std::runtime_error(result.err);
}

inline std::string data(const std::string& name) { return (data_folder() / name).string(); }

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace voxport
