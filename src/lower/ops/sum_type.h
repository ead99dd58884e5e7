// The element types in which sums and products are computed and returned.
#pragma once

#include "lower/call.h"
#include "lower/promote.h"

namespace voxport::ops {

// Computed: halves in float32, ints and bools in int64.
inline DType sum_type(DType dtype) {
  if (dtype == DType::kFloat64) return dtype;
  return is_floating(dtype) ? DType::kFloat32 : DType::kInt64;
}

// Returned: what the program requires by dtype=, else int64 for ints and bools.
inline DType summed_type(const Call& call, const Value& x) {
  const DType own = is_floating(x.dtype()) ? x.dtype() : DType::kInt64;
  return call.dtype("dtype").value_or(own);
}

}  // namespace voxport::ops
