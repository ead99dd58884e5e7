// The export of a checkpoint whose network voxport knows.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "arch/architecture.h"
#include "export/work.h"

namespace voxport {

// Has the architecture that the weights belong to plan the export, and writes what is planned.
// Fails with kUnsupported when they belong to none, and with kUsage when options are those of
// another.
void export_checkpoint(ExportWork& work, std::span<const Architecture> known = architectures());

// Weights by name and what is known beside them, whichever file they are of.
struct SourceWeights {
  std::string_view file;  // "safetensors file"
  std::optional<NamedTensors> tensors;
  Object hyper_parameters;
};
// The same of weights that were found already.
void export_weights(ExportWork& work, const SourceWeights& weights,
                    std::span<const Architecture> known = architectures());

}  // namespace voxport
