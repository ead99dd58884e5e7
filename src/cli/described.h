// What a command line takes, as data: what manual pages and completions are made of.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"

namespace voxport {

struct DescribedArgument {
  std::vector<std::string> names;  // "-q", "--quiet"; or the one name of an argument by position
  bool is_positional = false;
  bool is_required = false;
  bool is_repeated = false;
  bool takes_value = false;
  std::string type;                  // what --help calls the value: N, FILE, NAME=VALUE
  std::vector<std::string> choices;  // all values that there are, if not any is taken
  std::string default_text;
  std::string help;  // on one line
};

struct DescribedCommand {
  std::string name;
  std::string summary;
  std::string footer;
  std::vector<DescribedArgument> arguments;  // in the order of --help
};

struct DescribedProgram {
  std::string name, title, version;
  std::vector<DescribedArgument> arguments;  // those that no command is needed for
  std::vector<DescribedCommand> commands;
};

// Runs nothing, and prints nothing.
DescribedProgram describe(const CommandLine& program);

}  // namespace voxport
