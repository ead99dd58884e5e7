#include "passes/for_onnxruntime/tiling.h"

#include "graph/ops.h"

namespace voxport {
// Equal widths that cover the whole with an overlap of twice the reach, or the whole itself where
// it is too short for that.
Tiling::Tiling(const Value& x, const Options& options) : stretch_(options.stretch) {
  const Value length = size(x, -1);
  const std::int64_t gaps = options.tiles - 1;
  const std::int64_t overlaps = 2 * options.reach * gaps;
  const std::int64_t step = options.tiles * options.multiple;
  const Value fair = (length + int64s(x, {overlaps + step - 1})) / int64s(x, {step});
  if (options.multiple == 1) {
    width_ = minimum(length, fair);
  } else {  // the graph knows what it is a multiple of
    const Value multiple = int64s(x, {options.multiple});
    width_ = minimum(length / multiple, fair) * multiple;
  }
  const Value room = length - width_;
  starts_.push_back(int64s(x, {0}));
  seams_.push_back(int64s(x, {0}));
  for (std::int64_t i = 1; i < options.tiles; ++i) {
    starts_.push_back(room * int64s(x, {i}) / int64s(x, {gaps}));
    seams_.push_back(minimum(starts_.back() + int64s(x, {options.reach}), length));
  }
  seams_.push_back(length);
}

Value Tiling::cut(const Value& x) const {
  std::vector<Value> rows;
  for (const Value& start : starts_) rows.push_back(slice(x, -1, start, start + width_));
  return concat(std::move(rows), 2);
}

Value Tiling::glue(const Value& samples) const {
  const Value stretch = int64s(samples, {stretch_});
  std::vector<Value> parts;
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    const Value tile = slice(samples, 2, row, row + 1);
    parts.push_back(slice(tile, -1, (seams_[i] - starts_[i]) * stretch,
                          (seams_[i + 1] - starts_[i]) * stretch));
  }
  return concat(std::move(parts), -1);
}

}  // namespace voxport
