#include "arch/blocks/interpolation.h"

#include <cstdlib>
#include <utility>

#include "base/tensor_math.h"
#include "base/text.h"
#include "graph/ops.h"

namespace voxport {
namespace {

// How much of a step goes into those around it, up to where its neighbours lie: a triangle.
std::vector<float> triangle(std::int64_t channels, std::int64_t factor) {
  const std::int64_t kernel = factor % 2 == 0 ? 2 * factor : 2 * factor - 1;
  std::vector<float> weights;
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t i = 0; i < kernel; ++i)
      weights.push_back(static_cast<float>(2 * factor - std::abs(2 * i + 1 - kernel)) /
                        static_cast<float>(2 * factor));
  return weights;
}

hifigan::Upsampling between(std::string path, std::int64_t channels, std::int64_t factor) {
  const std::int64_t kernel = factor % 2 == 0 ? 2 * factor : 2 * factor - 1;
  const Tensor weight = computed_tensor({channels, 1, kernel},
                                        [channels, factor] { return triangle(channels, factor); });
  return {std::move(path), weight, factor, channels};
}

hifigan::Upsampling repeating(std::string path, std::int64_t factor) {
  const Tensor ones = computed_tensor({1, 1, factor}, [factor] {
    return std::vector<float>(static_cast<std::size_t>(factor), 1.0F);
  });
  return {std::move(path), ones, factor, 1};
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

Interpolation::Interpolation(const std::string& path, std::int64_t channels, std::int64_t factor)
    : between_neighbours_(between(path, channels, factor)),
      weights_(between(cat(path, ".weights"), 1, factor)),
      repeated_(repeating(cat(path, ".mask"), factor)) {}

// Before the first step and behind the last one there are no neighbours; what is there counts
// whole. Where the steps of a row have not begun or are over, there is nothing to divide.
Value Interpolation::operator()(const Value& x, Caches* caches) const {
  constexpr double kLeastWeight = 0.5;
  const Graph::Scope scope(x.graph(), between_neighbours_.path);
  RowCaches* rows = caches ? caches->by_row() : nullptr;
  if (rows)
    return between_neighbours_(x, rows) / maximum(weights_(rows->ones(x), rows), kLeastWeight);
  const Value none = zeros(concat({size(x, kBatch), int64s(x, {1}), size(x, kTime)}, 0), x.dtype());
  return between_neighbours_(x, caches) / weights_(none + 1, caches);
}

Value Interpolation::of_mask(const Value& mask) const { return repeated_(mask, nullptr); }

// A step i lies between floor((i + 0.5) / factor - 0.5) and the step after it, or on the former.
ReceptiveField Interpolation::receptive_field(std::int64_t factor, const ReceptiveField& after) {
  const std::int64_t first = -after.left;
  const std::int64_t last = factor - 1 + after.right;
  return {-floor_div(2 * first + 1 - factor, 2 * factor),
          -floor_div(-(2 * last + 1 - factor), 2 * factor)};
}

}  // namespace voxport
