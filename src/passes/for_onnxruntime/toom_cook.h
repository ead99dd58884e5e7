// Toom-Cook: the matrices by which four neighbouring outputs of a convolution of r taps are made
// from r + 3 products in place of 4 r. An input of r + 3 samples and a kernel of r taps are seen as
// polynomials; their values at r + 3 points are multiplied, and the four outputs are combinations
// of the products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace voxport {

// Row by row.
using Matrix = std::vector<std::vector<double>>;

// y[j] = sum over i of outputs[j][i] * (sum over s of taps[i][s] * h[s])
//                                    * (sum over l of inputs[i][l] * x[l])
// is the sum over s of h[s] * x[j + s], for j = 0..3.
struct ToomCook {
  static constexpr std::int64_t kOutputs = 4;
  static constexpr std::int64_t kMaxTaps = 5;  // of a step; more points would cost digits

  // Requires 2 <= taps <= kMaxTaps.
  explicit ToomCook(std::int64_t taps);

  std::size_t points() const { return inputs.size(); }
  // The product that is part of every output, once.
  static constexpr std::size_t kAtOne = 1;

  Matrix inputs;   // [points, points]; each row's largest number is near 1
  Matrix taps;     // [points, taps]
  Matrix outputs;  // [kOutputs, points]
};

}  // namespace voxport
