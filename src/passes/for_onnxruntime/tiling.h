// Tiling: a long row cut into a few overlapping ones, [b, c, 1, t] -> [b, c, tiles, width], for a
// part of a network that looks at most `reach` steps to each side and makes `stretch` samples of
// each step. ONNX Runtime's convolutions share out rows and blocks of channels among its threads;
// one row of few channels would keep one thread busy.
//
// How many tiles there are follows from the length, at run time: as many as may be, as long as what
// they compute twice stays a small part of the whole.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace voxport {

class Tiling {
 public:
  struct Options {
    std::int64_t most_tiles;  // a power of two
    std::int64_t reach;       // in steps
    std::int64_t stretch;     // samples of a step
    std::int64_t unit;        // tiles start and end at multiples of it; the length must be one
  };

  // `length` is t, an int64 of shape [1].
  Tiling(const Value& length, const Options& options);

  // How many there are in all: stretch * t, of shape [1].
  Value samples() const;

  // x [b, c, 1, t] -> [b, tiles, width, c]: channels are last, which is how ONNX Runtime's blocks
  // of channels are left and entered at the least cost.
  Value cut(const Value& x) const;
  // The same as cut(before.glue(samples)), at once, where our units divide the samples of its.
  bool can_follow(const Tiling& before) const;
  Value cut_again(const Tiling& before, const Value& samples) const;
  // Puts together the samples that the network made of the tiles, [b, c, tiles, stretch * width]:
  // [b, c, 1, stretch * t]. The first and the last tile end where the whole does, and every other
  // edge is cut off as far as it reaches, so that the result is what the uncut row would have
  // given.
  Value glue(const Value& samples) const;

 private:
  Value units_of_tiles() const;
  Value places_in_tiles(const Value& of_whole, std::int64_t parts) const;

  std::int64_t unit_, stretch_;
  // In units. Lists have an element for each tile. A tile is for a part of the whole, and sees as
  // much as it reaches on both sides of that; the first and the last one are for as much more at
  // the ends of the whole.
  std::int64_t reach_;
  Value length_;   // [1]
  Value part_;     // [1]
  Value last_;     // of all parts, the first from 0 on, [1]
  Value width_;    // of a tile, [1]
  Value starts_;   // of each tile in the whole
  Value offsets_;  // from a unit's place in the whole to that in the tile that is for it, all tiles
                   // being one after the other
};

}  // namespace voxport
