// Quantized tensors as the floats that their integers stand for.
#pragma once

#include <cstdint>

#include "base/tensor.h"

namespace voxport {

// A float is scale * (integer - zero_point), with one of each for all, or for each index of an
// axis.
struct Quantizer {
  Tensor scales;       // float64
  Tensor zero_points;  // int64
  std::size_t axis = 0;
};

Quantizer quantizer_of(double scale, std::int64_t zero_point);

// A float32 tensor, computed when first asked for. Asks for an int8 tensor. Fails with kCorrupt
// where the quantizer does not fit it.
Tensor dequantized(Tensor integers, Quantizer quantizer);

}  // namespace voxport
