// Which elements a list of indices chooses, for those that read them and those that write them.
#pragma once

#include <vector>

#include "lower/call.h"

namespace voxport::ops {

struct Chosen {
  std::vector<std::int64_t> axes;  // those chosen from, in order
  Value places;                    // int64 [..., axes], of a tensor with those axes first
  Value single;                    // the one index, where there is one and it is not a mask
  Value mask;                      // the one mask, where there is nothing else

  // PyTorch has what was chosen where the first axis was, if the axes are neighbours, else in
  // front. The permutation from [chosen..., rest...] to that, for a tensor of this rank.
  std::vector<std::int64_t> to_pytorch(std::size_t rank) const;
};

// `indices` has a hole for every axis that is taken whole.
Chosen chosen_by(const Call& call, const std::vector<Value>& indices, Builder& g);

Value as_indices(const Value& index);  // int64
Value as_mask(const Value& mask);      // bool
// With one axis where there is none.
Value along(const Value& x);

}  // namespace voxport::ops
