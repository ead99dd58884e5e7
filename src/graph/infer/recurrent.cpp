#include "graph/infer/families.h"

namespace voxport::infer_family {

// LSTM, GRU and RNN (x [t, b, i], w [dirs, gates*h, i], r [dirs, gates*h, h], ...) give y
// [t, dirs, b, h] and the last state of each row, y_h [dirs, b, h]; an LSTM also y_c.
Types recurrent(const Application& a) {
  const Shape& x = a.shape(0);
  const Shape& r = a.shape(2);
  if (x.size() != 3 || a.shape(1).size() != 3 || r.size() != 3)
    a.mismatch("its input and its weights must have three axes");
  if (a.integer("layout", 0) != 0) a.mismatch("its input must have the time first");
  Types types = one(a.dtype(0), {x[0], r[0], x[1], r[2]});
  while (types.size() < a.output_count)
    types.push_back(Type{a.dtype(0), Shape{r[0], x[1], r[2]}, {}});
  return types;
}

}  // namespace voxport::infer_family
