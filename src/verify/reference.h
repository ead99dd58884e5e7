// Comparing a model with recorded outputs.
#pragma once

#include <filesystem>
#include <vector>

#include <voxport/check.h>

#include "verify/model.h"

namespace voxport {

// Runs every case of the file: tensors <case>/in/<name> and <case>/out/<name>. Inputs that a case
// has and the model has not are left out; outputs too. Fails with kUsage when the file holds no
// case for this model.
std::vector<CheckedCase> check_reference(const Subject& subject, const std::filesystem::path& file,
                                         double tolerance);

}  // namespace voxport
