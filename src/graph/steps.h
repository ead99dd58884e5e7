// Steps of a sequence, along the last axis, and what a convolution needs of them.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace voxport {

// From `low` to `high`, counted from any step.
struct Steps {
  std::int64_t low = 0, high = 0;

  void include(const Steps& other);
};

// The steps of its input that a convolution computes those of its output from. `width` is how many
// steps its kernel reaches from the first tap to the last, `pad` the zeros before the first step.
Steps needed_by_conv(const Steps& made, std::int64_t width, std::int64_t stride, std::int64_t pad);
// The same of a transposed one, whose `pad` is cut off before the first step of the output.
Steps needed_by_conv_transpose(const Steps& made, std::int64_t width, std::int64_t stride,
                               std::int64_t pad);

// The steps of its input that a Conv or ConvTranspose computes those of its output from. Asks for
// weights of known size and pads that are numbers.
Steps steps_needed(const Node& convolution, const Steps& made);

}  // namespace voxport
