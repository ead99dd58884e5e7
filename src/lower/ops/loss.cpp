// Losses that networks give beside their result, as those with a codebook do.
#include "lower/ops/operands.h"
#include "lower/ops/ops.h"
#include "lower/ops/sum_type.h"

namespace voxport::ops {
namespace {

// PyTorch's numbers for what becomes of the losses of the elements.
enum Reduction : std::int64_t { kNone = 0, kMean = 1, kSum = 2 };

Value reduced_loss(const Call& call, const Value& losses) {
  const std::int64_t reduction = call.integer("reduction");
  if (reduction == kNone || losses.rank() == 0) return losses;
  if (reduction != kMean && reduction != kSum)
    call.refuse("its argument 'reduction' is ", reduction, ", expected 0, 1 or 2");
  const Value wide = cast(losses, sum_type(losses.dtype()));
  const char* op = reduction == kMean ? "ReduceMean" : "ReduceSum";
  const Value one = Builder(wide.graph()).node(op, {wide}, {{"keepdims", std::int64_t{0}}});
  return cast(one, losses.dtype());
}

Value difference(const Call& call) {
  const std::vector<Value> values = call.promoted({"self", "target"});
  if (!is_floating(values[0].dtype()))
    call.refuse("it takes floats, found ", name_of(values[0].dtype()));
  return values[0] - values[1];
}

// Half the square near 0, a line beyond `bend`; both meet there.
Value bent(const Value& size, double bend) {
  return where(less(size, like(size, bend)), size * size * 0.5, (size - bend * 0.5) * bend);
}

}  // namespace

// aten.huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor
Item huber_loss(const Call& call, Builder&) {
  return reduced_loss(call, bent(abs(difference(call)), call.real("delta")));
}

// aten.l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
Item l1_loss(const Call& call, Builder&) { return reduced_loss(call, abs(difference(call))); }

// aten.mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
Item mse_loss(const Call& call, Builder&) {
  const Value d = difference(call);
  return reduced_loss(call, d * d);
}

// aten.smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor
Item smooth_l1_loss(const Call& call, Builder&) {
  const Value size = abs(difference(call));
  const double beta = call.real("beta");
  return reduced_loss(call, beta == 0 ? size : bent(size, beta) / beta);
}

}  // namespace voxport::ops
