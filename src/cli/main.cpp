#include <iostream>
#include <string>
#include <string_view>

#include <malloc.h>
#include <voxport/exit_code.h>
#include <voxport/version.h>

#include "base/mapping.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/ending.h"
#include "cli/terminal.h"
#include "report/failure.h"

namespace voxport {
namespace {

// In the order in which they are met.
constexpr Command kCommands[] = {
    {"export", "convert a trained model to ONNX with dynamic axes", add_export},
    {"check", "prove that a model's axes are dynamic, or name the node that fixes one", add_check},
    {"speak", "speak text with an exported voice, and stream the audio", add_speak},
    {"serve", "let clients on the network hear voices: HTTP, Wyoming, WebSocket", add_serve},
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

// What the command line calls the options that the library's messages are about.
struct OptionName {
  std::string_view option, flags;
};
constexpr OptionName kOptionNames[] = {
    {"allow_fixed", "--allow-fixed"},
    {"cache", "--cache"},
    {"configs", "--config"},
    {"hyper_parameters", "--set"},
    {"input", "--phonemes and --ids"},
    {"inputs", "--input"},
    {"max_memory", "--memory"},
    {"romaniser", "--romanise"},
    {"method", "--method"},
    {"model", "--model"},
    {"own_energy_control", "--energy-control of 'voxport export'"},
};

void tell(const Failure& failure) {
  std::string hint;
  for (const auto& [option, flags] : kOptionNames)
    if (failure.option == option) hint = cat("\n  see ", flags);
  tell(failure.text + hint);
}

int run(int argc, char** argv) {
  const CommandLine program{"voxport", "voxport: PyTorch speech models to ONNX, without Python",
                            kVersion, kFooter, kCommands};
  return run_command_line(program, argc, argv, [](const std::string& message) { tell(message); });
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
  } catch (const voxport::EndedBySignal& ended) {
    return voxport::end_by_signal(ended.signal());
  } catch (...) {
    const voxport::Failure failure = voxport::current_failure();
    voxport::tell(failure);
    return failure.code;
  }
}
