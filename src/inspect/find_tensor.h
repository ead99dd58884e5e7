// One tensor of a file, by its name.
#pragma once

#include <filesystem>
#include <string>

#include "base/stage_clock.h"
#include "base/tensor.h"
#include "checkpoint/saved_file.h"

namespace voxport {

// A weight that is kept in the parts of weight norm can be asked for as a whole. `model` chooses
// one of several in a .pt2. Fails with kUsage, and tells similar names, when there is no such
// tensor.
Tensor find_tensor(const SavedFile& file, const std::filesystem::path& path,
                   const std::string& name, const std::string& model, StageClock& clock);

}  // namespace voxport
