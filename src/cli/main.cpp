#include <exception>
#include <iostream>
#include <map>
#include <new>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <malloc.h>
#include <voxport/exit_code.h>
#include <voxport/version.h>

#include "base/mapping.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/ending.h"
#include "cli/terminal.h"

namespace voxport {
namespace {

struct Command {
  const char* name;
  const char* summary;
  Run (*add)(CLI::App& app);
};

// In the order in which they are met.
constexpr Command kCommands[] = {
    {"export", "convert a trained model to ONNX with dynamic axes", add_export},
    {"check", "prove that a model's axes are dynamic, or name the node that fixes one", add_check},
    {"speak", "speak text with an exported voice, and stream the audio", add_speak},
    {"bench", "measure how fast a voice speaks on this machine", add_bench},
    {"inspect", "show what a model file contains, without running any of it", add_inspect},
};

constexpr char kFooter[] =
    "Exit codes: 0 success, 1 a check failed, 2 wrong usage, 3 unreadable or corrupt file,\n"
    "4 unsupported file, or one that needs more time or memory than is available, 5 suspicious\n"
    "or dangerous file (inspect --scan), 6 the output cannot be written, 70 a bug in voxport.\n"
    "Run 'voxport COMMAND --help' to see the options of a command.";

// What every failure comes to: one message on standard error.
void tell(std::string_view message) {
  std::cerr << "voxport: " << printable_lines(message) << '\n';
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "voxport";
  for (const CLI::App* sub : app.get_subcommands()) command += " " + sub->get_name();
  tell(cat(printable(error.what(), 1000), "\n  try '", command, " --help'"));
  return kExitUsage;
}

// An empty value is a mistake, as of a variable that a script did not set, and not the absence of
// the option.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (!option->get_positional() && option->get_items_expected_max() > 0)
      option->check(
          [](const std::string& value) { return value.empty() ? "its value is empty" : ""; }, "");
}

int run(int argc, char** argv) {
  CLI::App app("voxport: PyTorch speech models to ONNX, without Python", "voxport");
  app.set_version_flag("--version", std::string("voxport ") + kVersion);
  app.require_subcommand(1);
  app.footer(kFooter);
  app.failure_message(CLI::FailureMessage::simple);
  int exit_code = kExitDone;
  std::map<const CLI::App*, std::string> descriptions;  // the long ones, for a command's own help
  for (const Command& command : kCommands) {
    CLI::App* sub = app.add_subcommand(command.name);
    sub->final_callback([&exit_code, run = command.add(*sub)] { exit_code = run(); });
    refuse_empty_values(*sub);
    descriptions[sub] = sub->get_description();
    sub->description(command.summary);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    for (CLI::App* sub : chosen) sub->description(descriptions[sub]);
    print(chosen.empty() ? app.help() : chosen.front()->help());
  } catch (const CLI::CallForAllHelp&) {
    print(app.help("", CLI::AppFormatMode::All));
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  return exit_code;
}

}  // namespace
}  // namespace voxport

int main(int argc, char** argv) {
  voxport::hold_standard_descriptors();
  voxport::handle_ending_signals();
  voxport::end_on_bus_error(voxport::kExitUnreadable);
  // A short life: memory that was given back is better used again than returned to the system.
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 4 << 20);
  try {
    return voxport::run(argc, argv);
  } catch (const voxport::Error& error) {
    voxport::tell(error.what());
    return voxport::exit_code_of(error);
  } catch (const voxport::EndedBySignal& ended) {
    return voxport::end_by_signal(ended.signal());
  } catch (const std::bad_alloc&) {
    voxport::tell("there is not enough memory");
    return voxport::kExitUnsupported;
  } catch (const std::exception& error) {  // ours to mend
    voxport::tell(voxport::cat("internal error: ", error.what()));
    return voxport::kExitInternal;
  }
}
