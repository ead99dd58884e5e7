// Sums of products over named axes, as einsum writes them.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace voxport::ops {

// A tensor whose axes have names; equal names are the same index.
struct Labelled {
  Value value;
  std::vector<int> labels;
};

// The product of all operands, summed over the labels that are not in `to`, with the axes of `to`
// in that order. All operands are of one type. Axes known to be 1 are repeated as need be.
Value contract(std::vector<Labelled> operands, const std::vector<int>& to);

}  // namespace voxport::ops
