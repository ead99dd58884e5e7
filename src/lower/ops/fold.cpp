// Images as columns of their windows, and back.
#include "lower/arithmetic.h"
#include "lower/ops/ops.h"
#include "lower/ops/spatial.h"

namespace voxport::ops {
namespace {

using Numbers = std::vector<std::int64_t>;
constexpr std::size_t kSpace = 2;

// One number per axis of space.
struct FoldWindow {
  Numbers kernel, dilation, padding, stride;

  explicit FoldWindow(const Call& call)
      : kernel(per_axis(call, "kernel_size", kSpace, 1)),
        dilation(per_axis(call, "dilation", kSpace, 1)),
        padding(per_axis(call, "padding", kSpace, 0)),
        stride(per_axis(call, "stride", kSpace, 1)) {}

  std::int64_t reach(std::size_t i) const { return dilation[i] * (kernel[i] - 1) + 1; }

  // The least size of an axis that it fits in once.
  std::int64_t least(std::size_t i) const { return reach(i) - 2 * padding[i]; }

  // How often it fits along an axis of this size.
  Number count(const Call& call, const Number& size, std::size_t i) const {
    Scopes& scopes = call.scopes();
    const Number room =
        compute(scopes, Arithmetic::kAdd, size, Number::of_int(2 * padding[i] - reach(i)));
    const Number steps = compute(scopes, Arithmetic::kFloorDiv, room, Number::of_int(stride[i]));
    return compute(scopes, Arithmetic::kAdd, steps, Number::of_int(1));
  }
};

// The elements under each part of the kernel: an axis becomes [kernel, count].
Value unfolded(const Call& call, const Value& x, std::int64_t axis, const Number& count,
               const FoldWindow& window, std::size_t i) {
  Builder g(x.graph());
  const Value parts = range(g.int64s({window.kernel[i]})) * g.int64(window.dilation[i]);
  const Value starts = range(call.sizes({count})) * g.int64(window.stride[i]);
  return gather(x, voxport::unsqueeze(parts, {1}) + starts, axis);
}

// A kernel that puts part i of a column where it belongs, [kh*kw, 1, kh, kw].
Value one_hot_kernel(Builder& g, const Numbers& kernel) {
  const std::int64_t parts = kernel[0] * kernel[1];
  std::vector<float> values(static_cast<std::size_t>(parts * parts), 0.0F);
  for (std::int64_t i = 0; i < parts; ++i) values[static_cast<std::size_t>(i * parts + i)] = 1.0F;
  return g.constant("fold", tensor_of({parts, 1, kernel[0], kernel[1]}, values));
}

}  // namespace

// aten.im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride)
//   -> Tensor
Item im2col(const Call& call, Builder& g) {
  const Value self = call.tensor("self");
  const FoldWindow window(call);
  Value x = with_batch(call, self, kSpace + 2);  // [b, c, h, w]
  const Number rows = window.count(call, size_at(call, x, 2), 0);
  const Number columns = window.count(call, size_at(call, x, 3), 1);
  for (std::size_t i = 0; i < kSpace; ++i)
    call.walk().note_least(x.shape()[i + 2], window.least(i));
  const Number batch = size_at(call, x, 0);
  const Number channels = size_at(call, x, 1);
  if (window.padding != Numbers{0, 0}) {
    const std::int64_t h = window.padding[0];
    const std::int64_t w = window.padding[1];
    x = g.node("Pad", {x, g.int64s({0, 0, h, w, 0, 0, h, w})});
  }
  x = unfolded(call, x, 3, columns, window, 1);
  x = unfolded(call, x, 2, rows, window, 0);      // [b, c, kh, rows, kw, columns]
  x = voxport::transpose(x, {0, 1, 2, 4, 3, 5});  // [b, c, kh, kw, rows, columns]
  Scopes& scopes = call.scopes();
  const Number parts = compute(scopes, Arithmetic::kMul, channels,
                               Number::of_int(window.kernel[0] * window.kernel[1]));
  const Number places = compute(scopes, Arithmetic::kMul, rows, columns);
  const Value y = reshape(x, call.sizes({batch, parts, places}));
  return self.rank() == kSpace + 2 ? y : voxport::squeeze(y, {0});
}

// aten.col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation,
//   int[2] padding, int[2] stride) -> Tensor
// Windows that overlap are added up.
Item col2im(const Call& call, Builder& g) {
  const Value self = call.tensor("self");
  if (!is_floating(self.dtype()))
    call.refuse("it adds up ", name_of(self.dtype()), ", expected floats");
  const FoldWindow window(call);
  const std::vector<Number> size = call.numbers("output_size");
  if (size.size() != kSpace) call.refuse("its output_size must have two numbers");
  const Value x = with_batch(call, in_dtype(self, DType::kFloat32), 3);  // [b, c*kh*kw, places]
  Scopes& scopes = call.scopes();
  const std::int64_t parts = window.kernel[0] * window.kernel[1];
  constexpr std::int64_t kMaxParts = 2048;  // their square is the size of a constant
  if (parts > kMaxParts)
    call.refuse("its kernel has ", parts, " elements, expected ", kMaxParts, " or less");
  const Number batch = size_at(call, x, 0);
  const Number channels =
      compute(scopes, Arithmetic::kFloorDiv, size_at(call, x, 1), Number::of_int(parts));
  std::vector<Number> shape = {compute(scopes, Arithmetic::kMul, batch, channels),
                               Number::of_int(parts)};
  for (std::size_t i = 0; i < kSpace; ++i) shape.push_back(window.count(call, size[i], i));
  // Pads are cut off afterwards: behind the last window there may be more than them to add.
  Value y =
      g.node("ConvTranspose", {reshape(x, call.sizes(shape)), one_hot_kernel(g, window.kernel)},
             {{"kernel_shape", window.kernel},
              {"strides", window.stride},
              {"dilations", window.dilation}});
  for (std::size_t i = 0; i < kSpace; ++i) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    const Number end =
        compute(scopes, Arithmetic::kAdd, size[i], Number::of_int(window.padding[i]));
    y = pad_after(y, axis, g.int64s({window.stride[i] - 1}));
    y = voxport::slice(y, axis, g.int64s({window.padding[i]}), call.sizes({end}));
  }
  y = reshape(y, call.sizes({batch, channels, size[0], size[1]}));
  return in_dtype(self.rank() == 3 ? y : voxport::squeeze(y, {0}), self.dtype());
}

}  // namespace voxport::ops
