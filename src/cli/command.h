// A subcommand: its name, what --help says of it, and how it adds itself to the command line.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace voxport {

// Declares the arguments on `app`; the function it returns runs the command with them and gives the
// exit code. Errors are thrown.
using Run = std::function<int()>;
Run add_bench(CLI::App& app);
Run add_check(CLI::App& app);
Run add_export(CLI::App& app);
Run add_inspect(CLI::App& app);
Run add_speak(CLI::App& app);

}  // namespace voxport
