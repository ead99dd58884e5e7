// What is done to weights on their way into a graph. Views where a view will do; else the values
// are computed when they are asked for (see computed_tensor).
#pragma once

#include <cstdint>
#include <vector>

#include "base/tensor.h"

namespace voxport {

// The same elements in another shape of as many.
Tensor reshaped(const Tensor& tensor, std::vector<std::int64_t> shape);
// Axis i of the result is axis perm[i] of the tensor.
Tensor permuted(const Tensor& tensor, const std::vector<std::int64_t>& perm);
// [start, end) of one axis.
Tensor sliced(const Tensor& tensor, std::size_t axis, std::int64_t start, std::int64_t end);

// The elements of one axis picked by index: order[i] is where element i of the result comes from.
Tensor picked(const Tensor& tensor, std::size_t axis, std::vector<std::int64_t> order);
// One after the other along an axis. All are of one dtype, and of one shape but for that axis.
Tensor joined(std::vector<Tensor> parts, std::size_t axis);

// These give float32.
Tensor scaled(const Tensor& tensor, double factor);
Tensor sum_of(std::vector<Tensor> parts);
// The product of two matrices, summed in double.
Tensor product(const Tensor& a, const Tensor& b);

// Weight norm undone, at once: g * v / ||v||, the norm taken over the axes along which g has
// size 1. Fails with kCorrupt when the shapes do not belong together.
Tensor fold_weight_norm(const Tensor& g, const Tensor& v);

// n - 1, ..., 1, 0.
std::vector<std::int64_t> backwards(std::int64_t n);

}  // namespace voxport
