// The export of a checkpoint whose network voxport knows.
#pragma once

#include <span>
#include <string_view>

#include "arch/architecture.h"
#include "export/work.h"

namespace voxport {

// What safetensors files that voxport writes keep of hyper-parameters, in `__metadata__`: a Python
// dict, as text.
inline constexpr const char* kSettingsKey = "voxport.hyper_parameters";

// Has the architecture that the weights belong to plan the export, and writes what is planned.
// Fails with kUnsupported when they belong to none, and with kUsage when options are those of
// another.
void export_checkpoint(ExportWork& work, std::span<const Architecture> known = architectures());

// The same of what was read already: `root` is as a checkpoint has it, and `file` says what it is
// of.
void export_weights(ExportWork& work, std::string_view file, const Object& root,
                    std::span<const Architecture> known = architectures());

}  // namespace voxport
