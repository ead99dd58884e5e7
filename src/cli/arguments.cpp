#include "cli/arguments.h"

#include <map>

#include <CLI/CLI.hpp>
#include <voxport/exit_code.h>

#include "base/join.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/terminal.h"

namespace voxport {
namespace {

// An empty value is a mistake, as of a variable that a script did not set, and not the absence of
// the option.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (!option->get_positional() && option->get_items_expected_max() > 0)
      option->check(
          [](const std::string& value) { return value.empty() ? "its value is empty" : ""; }, "");
}

std::string usage_text(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = app.get_name();
  for (const CLI::App* sub : app.get_subcommands()) command += " " + sub->get_name();
  return cat(printable(error.what(), 1000), "\n  try '", command, " --help'");
}

// What is wrong with the first argument, where it should be a command and is none; else empty.
std::string unknown_command(const CommandLine& program, int argc, char** argv) {
  if (argc < 2 || *argv[1] == '-') return "";
  std::vector<std::string_view> names;
  for (const Command& command : program.commands) names.emplace_back(command.name);
  if (std::ranges::find(names, std::string_view(argv[1])) != names.end()) return "";
  const std::string_view near = nearest(argv[1], names);
  return cat(
      "there is no command ", in_quotes(argv[1]), "; ",
      near.empty() ? cat("there are ", join(names, ", ")) : cat("did you mean '", near, "'?"),
      "\n  try '", program.name, " --help'");
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::default_text(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option& Option::delimiter(char between) {
  option_->delimiter(between);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

bool Option::is_given() const { return option_->count() > 0; }

void Arguments::description(const std::string& text) { app_.description(text); }
void Arguments::footer(const std::string& text) { app_.footer(text); }

Option Arguments::add_flag(const std::string& name, bool& value, const std::string& help) {
  return Option(app_.add_flag(name, value, help));
}

Option Arguments::add_option(const std::string& name, std::string& value, const std::string& help) {
  return Option(app_.add_option(name, value, help));
}

Option Arguments::add_option(const std::string& name, std::optional<std::string>& value,
                             const std::string& help) {
  return Option(app_.add_option(name, value, help));
}

Option Arguments::add_option(const std::string& name, std::filesystem::path& value,
                             const std::string& help) {
  return Option(app_.add_option(name, value, help));
}

Option Arguments::add_option(const std::string& name, std::vector<std::string>& values,
                             const std::string& help) {
  return Option(app_.add_option(name, values, help)->allow_extra_args(false));
}

Option Arguments::add_option(const std::string& name,
                             const std::function<void(const std::string&)>& take,
                             const std::string& help) {
  return Option(app_.add_option_function<std::string>(name, take, help));
}

Option Arguments::add_repeated(const std::string& name,
                               std::function<void(const std::string&)> take,
                               const std::string& help) {
  const auto take_all = [take = std::move(take)](const std::vector<std::string>& values) {
    for (const std::string& value : values) take(value);
  };
  return Option(app_.add_option_function<std::vector<std::string>>(name, take_all, help)
                    ->allow_extra_args(false));
}

void fail_usage(const std::string& option, const std::string& what) {
  throw CLI::ValidationError(option, what);
}

int run_command_line(const CommandLine& program, int argc, char** argv,
                     const std::function<void(const std::string&)>& tell) {
  if (const std::string problem = unknown_command(program, argc, argv); !problem.empty()) {
    tell(problem);
    return kExitUsage;
  }
  CLI::App app{std::string(program.title), std::string(program.name)};
  app.set_version_flag("--version", cat(program.name, " ", program.version));
  app.require_subcommand(1);
  app.footer(std::string(program.footer));
  app.failure_message(CLI::FailureMessage::simple);
  int exit_code = kExitDone;
  std::map<const CLI::App*, std::string> descriptions;  // the long ones, for a command's own help
  for (const Command& command : program.commands) {
    CLI::App* sub = app.add_subcommand(command.name);
    Arguments arguments(*sub);
    sub->final_callback([&exit_code, run = command.add(arguments)] { exit_code = run(); });
    refuse_empty_values(*sub);
    descriptions[sub] = sub->get_description();
    sub->description(command.summary);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    for (CLI::App* sub : app.get_subcommands()) sub->description(descriptions[sub]);
    print(app.help());  // or that of the command that was chosen
  } catch (const CLI::CallForAllHelp&) {
    print(app.help("", CLI::AppFormatMode::All));
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    tell(usage_text(app, error));
    return kExitUsage;
  }
  return exit_code;
}

}  // namespace voxport
