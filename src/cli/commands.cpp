#include "cli/commands.h"

#include <voxport/version.h>

#include "cli/command.h"

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

}  // namespace

CommandLine command_line() {
  return {"voxport", "voxport: PyTorch speech models to ONNX, without Python", kVersion, kFooter,
          kCommands};
}

}  // namespace voxport
