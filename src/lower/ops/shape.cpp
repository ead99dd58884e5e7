// What is asked of a tensor's shape.
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

Number size_of(const Call& call, const Value& x, std::int64_t axis) {
  if (const auto number = x.dim(axis).constant()) return Number::of_int(*number);
  const Value shape = Builder(x.graph()).node("Shape", {x});
  return call.lowering().size_of(gather(shape, Builder(x.graph()).int64(axis), 0));
}

}  // namespace

// aten.size.int(Tensor self, int dim) -> int, aten.size(Tensor self) -> int[]
Item size(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  if (call.has("dim")) return size_of(call, x, call.axis("dim", x.rank()));
  std::vector<Item> sizes;
  for (std::size_t i = 0; i < x.rank(); ++i)
    sizes.emplace_back(size_of(call, x, static_cast<std::int64_t>(i)));
  return Item::list(std::move(sizes));
}

// aten.dim(Tensor self) -> int
Item dim(const Call& call, Builder&) {
  return Number::of_int(static_cast<std::int64_t>(call.tensor("self").rank()));
}

}  // namespace voxport::ops
