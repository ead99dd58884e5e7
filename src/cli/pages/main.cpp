// voxport_pages REFERENCE FOLDER: writes the manual pages and the completions of the program, which
// the build installs. REFERENCE is docs/cli.md.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <voxport/exit_code.h>

#include "base/fail.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/pages/completions.h"
#include "cli/pages/manual.h"
#include "report/failure.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) fail(Error::kUnreadable, "cannot read ", in_quotes(path.native()));
  return text.str();
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) fail(Error::kUnwritable, "cannot write ", in_quotes(path.native()));
}

void write_pages(const fs::path& reference_file, const fs::path& folder) {
  const DescribedProgram program = describe(command_line());
  const Reference reference = read_reference(contents(reference_file));
  fs::create_directories(folder);
  write(folder / (program.name + ".1"), manual_page(program, reference));
  for (const DescribedCommand& command : program.commands)
    write(folder / (manual_name(program, command) + ".1"),
          manual_page(program, command, reference));
  write(folder / (program.name + ".bash"), bash_completions(program));
  write(folder / ("_" + program.name), zsh_completions(program));
  write(folder / (program.name + ".fish"), fish_completions(program));
}

}  // namespace
}  // namespace voxport

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: voxport_pages REFERENCE FOLDER\n";
    return voxport::kExitUsage;
  }
  try {
    voxport::write_pages(argv[1], argv[2]);
  } catch (...) {
    const voxport::Failure failure = voxport::current_failure();
    std::cerr << "voxport_pages: " << failure.text << '\n';
    return failure.code;
  }
  return voxport::kExitDone;
}
