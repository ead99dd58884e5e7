// How the size of an output follows from the sizes of the inputs, told by runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/dim.h"
#include "verify/model.h"

namespace voxport {

struct SizeSample {
  Sizes sizes;
  std::int64_t size = 0;
};

// The expression that gives all samples: a number, a symbol, 2*t + 1, floor((t - 1)/2) + 1,
// batch_size*t. Nothing when none of these does.
std::optional<Dim> find_relation(std::span<const SizeSample> samples);

// Whether the expression gives that size; true where it has a symbol that is not among the sizes.
bool gives(const Dim& dim, const SizeSample& sample);

}  // namespace voxport
