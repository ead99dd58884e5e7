#include "cli/arguments.h"

#include <algorithm>
#include <map>
#include <sstream>

#include <CLI/CLI.hpp>
#include <voxport/exit_code.h>

#include "base/join.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/described.h"
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

// Of commands, for their own help; that of the program shows summaries.
using LongDescriptions = std::map<const CLI::App*, std::string>;

// Declares all that the program takes. A command that is parsed sets the exit code.
LongDescriptions declare(const CommandLine& program, CLI::App& app, int& exit_code) {
  app.set_version_flag("--version", cat(program.name, " ", program.version));
  app.require_subcommand(1);
  app.footer(std::string(program.footer));
  app.failure_message(CLI::FailureMessage::simple);
  LongDescriptions descriptions;
  for (const Command& command : program.commands) {
    CLI::App* sub = app.add_subcommand(command.name);
    Arguments arguments(*sub);
    sub->final_callback([&exit_code, run = command.add(arguments)] { exit_code = run(); });
    refuse_empty_values(*sub);
    descriptions[sub] = sub->get_description();
    sub->description(command.summary);
  }
  return descriptions;
}

// CLI11 describes the type and the choices together: "TEXT:{graph,input}".
void describe_type(const std::string& text, DescribedArgument& described) {
  const std::size_t brace = text.find(":{");
  described.type = text.substr(0, brace);
  if (brace == std::string::npos) return;
  std::istringstream choices(text.substr(brace + 2, text.size() - brace - 3));
  for (std::string choice; std::getline(choices, choice, ',');) described.choices.push_back(choice);
}

DescribedArgument describe(const CLI::Option& option) {
  DescribedArgument described;
  described.is_positional = option.get_positional();
  if (described.is_positional) described.names = {option.get_name(true)};
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  described.is_required = option.get_required();
  described.takes_value = option.get_items_expected_max() > 0;
  described.is_repeated = described.takes_value && option.get_expected_max() > 1;
  if (described.takes_value) describe_type(option.get_type_name(), described);
  described.default_text = option.get_default_str();
  described.help = option.get_description();
  std::ranges::replace(described.help, '\n', ' ');
  return described;
}

std::vector<DescribedArgument> describe_arguments(const CLI::App& app) {
  std::vector<DescribedArgument> all;
  for (const CLI::Option* option : app.get_options()) all.push_back(describe(*option));
  return all;
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
  const bool is_by_position = name.front() != '-';
  return Option(app_.add_option(name, values, help)->allow_extra_args(is_by_position));
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
  int exit_code = kExitDone;
  const LongDescriptions descriptions = declare(program, app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    for (CLI::App* sub : app.get_subcommands()) sub->description(descriptions.at(sub));
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

DescribedProgram describe(const CommandLine& program) {
  CLI::App app{std::string(program.title), std::string(program.name)};
  int exit_code = kExitDone;
  declare(program, app, exit_code);
  DescribedProgram described{std::string(program.name),
                             std::string(program.title),
                             std::string(program.version),
                             describe_arguments(app),
                             {}};
  for (const CLI::App* command : app.get_subcommands({}))
    described.commands.push_back({command->get_name(), command->get_description(),
                                  command->get_footer(), describe_arguments(*command)});
  return described;
}

}  // namespace voxport
