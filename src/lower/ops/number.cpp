#include "lower/arithmetic.h"
#include "lower/ops/ops.h"

namespace voxport::ops {

// aten.floordiv(int a, int b) -> int
Item floordiv(const Call& call, Builder&) {
  return compute(call.lowering(), Arithmetic::kFloorDiv, call.number("a"), call.number("b"));
}

// prim.NumToTensor(Scalar a) -> Tensor
Item num_to_tensor(const Call& call, Builder&) {
  return call.lowering().value_of(call.number(call.arguments().front().first));
}

// aten.item(Tensor self) -> Scalar, aten.Int(Tensor a) -> int and their like.
Item number_of_tensor(const Call& call, Builder&) {
  const Number number = call.number(call.arguments().front().first);
  const std::string_view name = call.name();
  if (name.starts_with("aten.Int")) return as_kind(call.lowering(), number, Number::Kind::kInt);
  if (name.starts_with("aten.Float")) return as_kind(call.lowering(), number, Number::Kind::kFloat);
  if (name == "aten.Bool") return as_kind(call.lowering(), number, Number::Kind::kBool);
  return number;
}

}  // namespace voxport::ops
