#include "passes/for_onnxruntime/tiling.h"

#include <algorithm>
#include <vector>

#include "graph/ops.h"

namespace voxport {
namespace {

// What tiles compute twice is at most this part of the whole.
constexpr std::int64_t kLeastPartsToOverlap = 16;

// Numbers of the shape [1] for a length: as many tiles as are worth it, 1, 2, 4, ..., and the part
// of the whole from one to the next, rounded up. They are sums and products of the length, so that
// the graph knows the sizes of tiles: the number grows by 1, 2, 4, ... where the length is enough,
// and the part becomes smaller with it. All of these are computed at once, in lists.
struct Parts {
  Value count, part;

  Parts(const Value& length, std::int64_t most, std::int64_t reach)
      : count(int64s(length, {1})), part(length) {
    std::vector<std::int64_t> before, after, least;
    for (std::int64_t tiles = 2; tiles <= most; tiles *= 2) {
      before.push_back(tiles / 2);
      after.push_back(tiles);
      least.push_back(2 * reach * (tiles - 1) * kLeastPartsToOverlap);
    }
    if (after.empty()) return;
    // The first and the last tile see nothing beyond the ends.
    const auto parts_of = [&](const std::vector<std::int64_t>& counts) {
      std::vector<std::int64_t> less(counts.size());
      std::ranges::transform(counts, less.begin(), [&](std::int64_t tiles) {
        return tiles == 1 ? 0 : 2 * reach - (tiles - 1);
      });
      return (length - int64s(length, less)) / int64s(length, counts);
    };
    const Value are_enough = minimum(length / int64s(length, least), int64s(length, {1}));
    count = count + reduce_sum(are_enough * int64s(length, before), {0}, true);
    part = part - reduce_sum(are_enough * (parts_of(before) - parts_of(after)), {0}, true);
  }
};

// [b, c, rows, t] -> [b, rows, t, c].
Value channels_last(const Value& x) { return transpose(x, {0, 2, 3, 1}); }

// [b, c, rows, steps * each] -> [b, rows * steps, each * c].
Value as_units(const Value& x, std::int64_t each) {
  return reshape(channels_last(x), {0, -1, each * *x.dim(1).constant()});
}

}  // namespace

Tiling::Tiling(const Value& length, const Options& options)
    : unit_(options.unit), stretch_(options.stretch) {
  reach_ = std::max<std::int64_t>((options.reach + unit_ - 1) / unit_, 1);
  length_ = unit_ == 1 ? length : length / int64s(length, {unit_});
  const Parts parts(length_, options.most_tiles, reach_);
  part_ = parts.part;
  last_ = parts.count * part_ - int64s(length, {1});
  width_ = minimum(length_, part_ + int64s(length, {2 * reach_}));
  const Value each = range(parts.count);
  starts_ = minimum(each * part_, length_ - width_);
  offsets_ = each * width_ - starts_;
}

// [tiles, width]: the units of the whole that tiles are made of.
Value Tiling::units_of_tiles() const { return unsqueeze(starts_, {1}) + range(width_); }

// Where parts of the whole, of which each unit has `parts`, are among those of all tiles.
Value Tiling::places_in_tiles(const Value& of_whole, std::int64_t parts) const {
  const Value each = int64s(of_whole, {parts});
  const Value units = parts == 1 ? of_whole : of_whole / each;
  const Value inside = maximum(units - int64s(units, {reach_}), 0);
  const Value tiles = minimum(inside, last_) / part_;
  return of_whole + gather(parts == 1 ? offsets_ : offsets_ * each, tiles, 0);
}

Value Tiling::cut(const Value& x) const {
  return reshape(gather(as_units(x, unit_), units_of_tiles(), 1), {0, 0, -1, *x.dim(1).constant()});
}

Value Tiling::samples() const { return length_ * int64s(length_, {unit_ * stretch_}); }

bool Tiling::can_follow(const Tiling& before) const {
  return before.unit_ * before.stretch_ % unit_ == 0;
}

Value Tiling::cut_again(const Tiling& before, const Value& samples) const {
  const std::int64_t parts = before.unit_ * before.stretch_ / unit_;
  const Value places = before.places_in_tiles(units_of_tiles(), parts);
  return reshape(gather(as_units(samples, unit_), places, 1),
                 {0, 0, -1, *samples.dim(1).constant()});
}

Value Tiling::glue(const Value& samples) const {
  const Value units =
      gather(as_units(samples, unit_ * stretch_), places_in_tiles(range(length_), 1), 1);
  return transpose(reshape(units, {0, 1, -1, *samples.dim(1).constant()}), {0, 3, 1, 2});
}

}  // namespace voxport
