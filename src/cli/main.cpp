#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <new>
#include <string>

#include <CLI/CLI.hpp>
#include <malloc.h>
#include <voxport/error.h>
#include <voxport/version.h>

#include "base/output_file.h"
#include "cli/command.h"
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
    {"export", "turn a trained model into ONNX, every axis free", add_export},
    {"check", "prove that a model's axes are free, or name the node that is in the way", add_check},
    {"speak", "say a text with an exported voice, streamed", add_speak},
    {"bench", "measure how fast a voice speaks on this machine", add_bench},
    {"inspect", "show what a checkpoint holds, running nothing of it", add_inspect},
};

constexpr char kFooter[] =
    "Exit codes: 0 done, 1 a check did not hold, 2 wrong usage, 3 unreadable or corrupt file,\n"
    "4 unsupported file, 5 dangerous file (inspect --scan), 6 the output cannot be written.\n"
    "'voxport COMMAND --help' tells all about a command.";

// The file that we have mapped was made shorter by someone else; there is no way to go on.
extern "C" void on_bus_error(int) {
  constexpr char kMessage[] = "voxport: the file became shorter while it was being read\n";
  (void)!write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  _exit(3);
}

// Nothing half-written stays behind; then the signal does what it does.
extern "C" void on_ending_signal(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  (void)raise(signal);
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "voxport";
  for (const CLI::App* sub : app.get_subcommands()) command += " " + sub->get_name();
  std::cerr << "voxport: " << error.what() << "\n  try '" << command << " --help'\n";
  return 2;
}

int run(int argc, char** argv) {
  CLI::App app("voxport: PyTorch speech models to ONNX, without Python", "voxport");
  app.set_version_flag("--version", std::string("voxport ") + kVersion);
  app.require_subcommand(1);
  app.footer(kFooter);
  app.failure_message(CLI::FailureMessage::simple);
  int exit_code = 0;
  std::map<const CLI::App*, std::string> descriptions;  // the long ones, for a command's own help
  for (const Command& command : kCommands) {
    CLI::App* sub = app.add_subcommand(command.name);
    sub->final_callback([&exit_code, run = command.add(*sub)] { exit_code = run(); });
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
  std::signal(SIGBUS, voxport::on_bus_error);
  for (const int ending : {SIGINT, SIGTERM, SIGHUP})  // but not one that nohup had us ignore
    if (std::signal(ending, voxport::on_ending_signal) == SIG_IGN) std::signal(ending, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond a limit is an error like any other
  // A short life: memory that was given back is better used again than returned to the system.
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 4 << 20);
  try {
    return voxport::run(argc, argv);
  } catch (const voxport::Error& error) {
    std::cerr << "voxport: " << error.what() << '\n';
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    std::cerr << "voxport: there is not enough memory\n";
    return 3;
  } catch (const std::exception& error) {  // ours to mend
    std::cerr << "voxport: internal error: " << error.what() << '\n';
    return 70;
  }
}
