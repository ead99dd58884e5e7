#include <iostream>
#include <string>
#include <string_view>

#include <malloc.h>
#include <voxport/exit_code.h>

#include "base/mapping.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/ending.h"
#include "cli/terminal.h"
#include "report/failure.h"

namespace voxport {
namespace {

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
    {"share_weights", "--share-weights"},
};

void tell(const Failure& failure) {
  std::string hint;
  for (const auto& [option, flags] : kOptionNames)
    if (failure.option == option) hint = cat("\n  see ", flags);
  tell(failure.text + hint);
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
    return voxport::run_command_line(voxport::command_line(), argc, argv,
                                     [](const std::string& message) { voxport::tell(message); });
  } catch (const voxport::EndedBySignal& ended) {
    return voxport::end_by_signal(ended.signal());
  } catch (...) {
    const voxport::Failure failure = voxport::current_failure();
    voxport::tell(failure);
    return failure.code;
  }
}
