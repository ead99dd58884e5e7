#include <cmath>

#include "graph/infer/families.h"

namespace voxport::infer_family {
namespace {

// An axis that is made larger by a number: rounded down.
Dim scaled(const Application& a, const Dim& size, float scale, std::size_t axis) {
  if (scale == 1) return size;
  constexpr float kMaxScale = 1e6F;
  if (scale >= 1 && scale <= kMaxScale && scale == std::floor(scale))
    return size * Dim(static_cast<std::int64_t>(scale));
  const auto number = size.constant();
  const float product = number ? static_cast<float>(*number) * scale : -1.0F;
  constexpr float kMaxSize = 9e18F;
  if (!(product >= 0 && product < kMaxSize)) return a.unknown(0, axis);
  return static_cast<std::int64_t>(product);
}

}  // namespace

// (x, roi, scales, sizes), of which one of the last two is given.
Types resize(const Application& a) {
  const Shape& from = a.shape(0);
  Shape to;
  if (a.has(3)) {
    const auto sizes = a.elements(3);
    for (std::size_t i = 0; i < from.size(); ++i)
      to.push_back(sizes && sizes->size() == from.size() ? (*sizes)[i] : a.unknown(0, i));
    return one(a.dtype(0), std::move(to));
  }
  const Tensor* constant = a.input(2).constant();
  const std::vector<float> scales = constant ? to_float32(*constant) : std::vector<float>();
  if (constant && scales.size() != from.size())
    a.mismatch(cat(scales.size(), " scales do not fit an input of shape ", shape_text(from)));
  for (std::size_t i = 0; i < from.size(); ++i)
    to.push_back(constant ? scaled(a, from[i], scales[i], i) : a.unknown(0, i));
  return one(a.dtype(0), std::move(to));
}

// (x, grid): [b, c, ...] and [b, ..., coordinates] give [b, c, ...] of the grid's sizes.
Types grid_sample(const Application& a) {
  const Shape& grid = a.shape(1);
  if (a.shape(0).size() < 3 || grid.size() != a.shape(0).size())
    a.mismatch(cat("a grid of shape ", shape_text(grid), " does not fit an input of shape ",
                   shape_text(a.shape(0))));
  Shape to = {a.shape(0)[0], a.shape(0)[1]};
  to.insert(to.end(), grid.begin() + 1, grid.end() - 1);
  return one(a.dtype(0), std::move(to));
}

}  // namespace voxport::infer_family
