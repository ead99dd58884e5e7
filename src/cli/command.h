// The commands, one file each: each declares its arguments and gives what runs it.
#pragma once

#include "cli/arguments.h"

namespace voxport {

Run add_bench(Arguments& app);
Run add_check(Arguments& app);
Run add_export(Arguments& app);
Run add_inspect(Arguments& app);
Run add_serve(Arguments& app);
Run add_speak(Arguments& app);

}  // namespace voxport
