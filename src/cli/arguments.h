// Arguments: how a command declares what it takes. CLI11 is behind it, in arguments.cpp alone: it
// takes seconds to compile.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace voxport {

// An argument that was declared; what more there is to say of it can be chained.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  // What --help calls the value.
  Option& type_name(const std::string& name);
  // What --help shows as the default.
  Option& default_text(const std::string& text);
  // Any other value is wrong usage.
  Option& one_of(const std::vector<std::string>& words);
  // A value may be several, with this between them.
  Option& delimiter(char between);
  // Both together are wrong usage.
  Option& excludes(const Option& other);

  bool is_given() const;

 private:
  CLI::Option* option_;
};

class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  void description(const std::string& text);
  void footer(const std::string& text);

  // Names as people type them: "FILE" is an argument by position, "-q,--quiet" has two names. What
  // a value goes to has to outlive the arguments.
  Option add_flag(const std::string& name, bool& value, const std::string& help);
  Option add_option(const std::string& name, std::string& value, const std::string& help);
  Option add_option(const std::string& name, std::optional<std::string>& value,
                    const std::string& help);
  Option add_option(const std::string& name, std::filesystem::path& value, const std::string& help);
  // May be given more than once, each time with one value; by position, one after the other.
  Option add_option(const std::string& name, std::vector<std::string>& values,
                    const std::string& help);
  // The value is handed to the function; or each one, of an option that may be given more than
  // once.
  Option add_option(const std::string& name, const std::function<void(const std::string&)>& take,
                    const std::string& help);
  Option add_repeated(const std::string& name, std::function<void(const std::string&)> take,
                      const std::string& help);

 private:
  CLI::App& app_;
};

// Fails as wrong usage of an option: one message, exit code 2.
[[noreturn]] void fail_usage(const std::string& option, const std::string& what);

// Declares the arguments of a command; the function it returns runs the command with them and gives
// the exit code. Errors are thrown.
using Run = std::function<int()>;

struct Command {
  const char* name;
  const char* summary;  // what `voxport --help` says of it
  Run (*add)(Arguments& arguments);
};

// What all commands have in common.
struct CommandLine {
  std::string_view name, title, version, footer;
  std::span<const Command> commands;
};

// Parses the arguments, and runs the command that they name, or prints what --help or --version ask
// for. Gives the exit code. Wrong usage is handed to `tell` as one message, and gives kExitUsage.
int run_command_line(const CommandLine& program, int argc, char** argv,
                     const std::function<void(const std::string&)>& tell);

}  // namespace voxport
