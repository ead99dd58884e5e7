// Durkan, Bekasov, Murray and Papamakarios, "Neural Spline Flows" (2019): a monotonic function made
// of pieces that are quotients of parabolas, run backwards. vits/transforms.py.
#pragma once

#include <cstdint>

#include "base/tensor.h"
#include "graph/graph.h"

namespace voxport::vits {

// The matrix and bias that the parameters of the spline come from, [in, out] with 3 * bins - 1
// outputs (widths, heights, and derivatives between the bins), laid out for inverse_spline:
// 4 * bins outputs, which are widths, heights, and the derivative at each bin's lower and at its
// upper end. Widths and heights are divided by `divisor`; at both ends of the spline the derivative
// is 1.
struct SplineProjection {
  Tensor weight;  // [in, 4 * bins]
  Tensor bias;    // [4 * bins]
};
SplineProjection spline_projection(const Tensor& weight, const Tensor& bias, std::int64_t bins,
                                   double divisor);

// For each y [..., t, 1] the x that the spline of `parameters` [..., t, 4 * bins] takes there.
// Beyond -5 and 5 the spline is the identity.
Value inverse_spline(const Value& y, const Value& parameters, std::int64_t bins);

}  // namespace voxport::vits
