#include "arch/blocks/tiling.h"

#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport {
namespace {

Value constant(const Value& beside, std::int64_t number) {
  return Builder(beside.graph()).int64s({number});
}

}  // namespace

// Equal widths that cover the whole with an overlap of twice the reach, or the whole itself where
// it is too short for that.
Tiling::Tiling(const Value& x, std::int64_t tiles, std::int64_t reach) : length_(size(x, -1)) {
  const std::int64_t gaps = tiles - 1;
  const Value fair = (length_ + constant(x, 2 * reach * gaps + gaps)) / constant(x, tiles);
  width_ = minimum(length_, fair);
  const Value room = length_ - width_;
  for (std::int64_t i = 0; i < tiles; ++i)
    starts_.push_back(i == 0 ? constant(x, 0) : room * constant(x, i) / constant(x, gaps));
  seams_.push_back(constant(x, 0));
  for (std::size_t i = 1; i < starts_.size(); ++i)
    seams_.push_back(minimum(starts_[i] + constant(x, reach), length_));
  seams_.push_back(length_);
}

Value Tiling::cut(const Value& x) const {
  std::vector<Value> rows;
  for (const Value& start : starts_) rows.push_back(slice(x, -1, start, start + width_));
  return concat(std::move(rows), 2);
}

Value Tiling::glue(const Value& y) const {
  std::vector<Value> parts;
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    const Value tile = slice(y, 2, row, row + 1);
    parts.push_back(slice(tile, -1, seams_[i] - starts_[i], seams_[i + 1] - starts_[i]));
  }
  return concat(std::move(parts), -1);
}

}  // namespace voxport
