// Operators that have no effect in inference.
#include "lower/ops/operands.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

void check_is_inference(const Call& call) {
  if (call.flag("train") && call.real("p") != 0)
    call.refuse("it drops elements at random: the network was saved in training mode");
}

}  // namespace

// aten.dropout(Tensor input, float p, bool train) -> Tensor
Item dropout(const Call& call, Builder&) {
  check_is_inference(call);
  return call.at(0);
}

// aten.native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)
Item native_dropout(const Call& call, Builder& g) {
  if (!call.has("train") && call.real("p") != 0)
    call.refuse("it drops elements at random: the network was saved in training mode");
  check_is_inference(call);
  const Value x = operand(call);
  const Value all = expand(g.scalar(1, DType::kBool), g.node("Shape", {x}));
  return Item::tuple({call.at(0), all});
}

// aten._assert_scalar(Scalar self, str assert_msg) -> ()
Item nothing(const Call&, Builder&) { return {}; }

// aten._functional_assert_async.msg(Tensor self, str assert_msg, Tensor dep_token) -> Tensor
Item dep_token(const Call& call, Builder&) { return call.item("dep_token"); }

}  // namespace voxport::ops
