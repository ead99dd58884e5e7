#include "lower/ops/ops.h"

namespace voxport::ops {

// aten.dropout(Tensor input, float p, bool train) -> Tensor
Item dropout(const Call& call, Builder&) {
  if (call.flag("train") && call.real("p") != 0)
    call.refuse("it drops elements at random: the network was saved in training mode");
  return call.same("input");
}

}  // namespace voxport::ops
