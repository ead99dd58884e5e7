// Tiling: a long row cut into a few overlapping ones, [b, c, 1, t] -> [b, c, tiles, width], for a
// stretch of a network that looks at most `reach` steps to each side. ONNX Runtime's convolutions
// share out rows and blocks of channels among its threads; one row of few channels would keep one
// thread busy.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace voxport {

class Tiling {
 public:
  // Asks for x [b, c, 1, t] and at least two tiles.
  Tiling(const Value& x, std::int64_t tiles, std::int64_t reach);

  Value cut(const Value& x) const;
  // Puts together what a network of that reach made of the tiles: [b, c, 1, t]. The first and the
  // last tile end where the whole does, and every other edge is cut off as far as it reaches, so
  // that the result is what the uncut row would have given.
  Value glue(const Value& y) const;

 private:
  Value length_;               // of the whole, [1]
  Value width_;                // of a tile, [1]
  std::vector<Value> starts_;  // of each tile in the whole, [1]
  std::vector<Value> seams_;   // where each tile's part of the result starts, and the end; [1]
};

}  // namespace voxport
