// Tiling: a long row cut into a few overlapping ones, [b, c, 1, t] -> [b, c, tiles, width], for the
// rest of a network, which looks at most `reach` steps to each side and makes `stretch` samples of
// each step. ONNX Runtime's convolutions share out rows and blocks of channels among its threads;
// one row of few channels would keep one thread busy.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace voxport {

class Tiling {
 public:
  struct Options {
    std::int64_t tiles;     // at least 2
    std::int64_t reach;     // in steps
    std::int64_t stretch;   // samples of a step
    std::int64_t multiple;  // what the width of a tile is a multiple of; the length must be, too
  };

  // Asks for x [b, c, 1, t].
  Tiling(const Value& x, const Options& options);

  Value cut(const Value& x) const;
  // Puts together the samples that the network made of the tiles, [b, c, tiles, stretch * width]:
  // [b, c, 1, stretch * t]. The first and the last tile end where the whole does, and every other
  // edge is cut off as far as it reaches, so that the result is what the uncut row would have
  // given.
  Value glue(const Value& samples) const;

 private:
  std::int64_t stretch_;
  Value width_;                // of a tile, [1]
  std::vector<Value> starts_;  // of each tile in the whole, [1]
  std::vector<Value> seams_;   // where each tile's part of the result starts, and the end; [1]
};

}  // namespace voxport
