// Named tensors as a safetensors file. docs/formats/safetensors.md
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "checkpoint/named_tensors.h"

namespace voxport {

// Writes all of them as float32, by name, one at a time: what lies in a file goes from there to the
// disk. `metadata` becomes `__metadata__`. Fails as to_float32() and OutputFile do.
void write_safetensors(const NamedTensors& tensors,
                       const std::vector<std::pair<std::string, std::string>>& metadata,
                       OutputFile& file);

}  // namespace voxport
