// Configs that trainers keep beside their checkpoints, in JSON or YAML, as plain values.
#pragma once

#include <string_view>

#include "checkpoint/object.h"

namespace voxport {

// The dict that the text holds: dicts, lists, numbers, text, true, false and None. Text that starts
// with a brace is JSON as Python writes it, with NaN, Infinity and integers of any length; all
// other is YAML; plain words of YAML mean what Python's reader takes them for. Fails with kCorrupt,
// and says in which line, for what is neither, for more than 1 MiB or 100 levels, for a key of YAML
// that is there twice and for anything but a dict; with kUnsupported for aliases and tags of YAML,
// which no config needs and a few of which make any amount of data.
Object read_config_file(std::string_view text);

}  // namespace voxport
