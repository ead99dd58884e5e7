// What convolutions, pools, pads and resizings share: tensors [b, c, ...] with axes of space at
// their end.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lower/call.h"

namespace voxport::ops {

// The tensor in an element type.
Value in_dtype(const Value& x, DType dtype);

// The size of an axis as a number of the program.
Number size_at(const Call& call, const Value& x, std::int64_t axis);
// The same as int64 of shape [1].
Value size_value(const Call& call, const Value& x, std::int64_t axis);

// With axes behind it, so that it lies along `axis`, counted from 0, of a tensor of `rank` axes.
Value along(const Value& x, std::int64_t axis, std::size_t rank);

// How many axes of space an operator has, by its name: 2 for aten.max_pool2d.
std::size_t space_of(const Call& call);

// A list of n numbers, or one that counts for all: strides, pads, sizes of kernels. `otherwise`
// where it is empty or None. Refuses numbers below `lowest`, and those beyond 31 bits.
std::vector<std::int64_t> per_axis(const Call& call, std::string_view name, std::size_t n,
                                   std::int64_t lowest,
                                   const std::vector<std::int64_t>& otherwise = {});

// The tensor with a batch of one where it has none: [c, t] becomes [1, c, t]. Requires `rank` axes
// or one less; refuses anything else.
Value with_batch(const Call& call, const Value& x, std::size_t rank);
// The reverse: y with as many axes as x has.
Value without_batch(const Value& y, const Value& x);

}  // namespace voxport::ops
