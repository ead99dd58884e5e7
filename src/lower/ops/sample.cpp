// Sampling of images at places that a grid tells.
#include "lower/ops/ops.h"
#include "lower/ops/spatial.h"

namespace voxport::ops {
namespace {

const char* named(const Call& call, std::string_view argument,
                  const std::vector<const char*>& names) {
  const std::int64_t i = call.integer(argument);
  if (i < 0 || i >= std::ssize(names)) call.refuse("there is no ", argument, " ", i);
  return names[static_cast<std::size_t>(i)];
}

// The middles of n cells that cover -1 to 1, or, where corners are aligned, n points from -1 to 1.
Value from_minus_one_to_one(const Call& call, const Number& n, bool align_corners, DType dtype) {
  const Value i = cast(range(call.sizes({n})), dtype);
  const Value count = call.lowering().value_of(n, dtype);
  if (!align_corners) return (i * 2 + 1) / count - 1;
  // One point alone lies in the middle.
  const Value is_one = less_or_equal(count, 1);
  const Value points = i * 2 / maximum(count - 1, 1) - 1;
  return where(is_one, points + 1, points);
}

}  // namespace

// aten.grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode,
//   bool align_corners) -> Tensor
// ONNX Runtime samples float32 alone.
Item grid_sampler(const Call& call, Builder& g) {
  const Value input = call.tensor("input");
  if (input.rank() != 4)
    call.refuse("ONNX samples volumes from opset 20 on; its input has ", input.rank(),
                " axes, expected 4");
  if (!is_floating(input.dtype()))
    call.refuse("it samples ", name_of(input.dtype()), ", expected floats");
  const Value y = g.node(
      "GridSample", {in_dtype(input, DType::kFloat32), call.tensor_as("grid", DType::kFloat32)},
      {{"mode", std::string(named(call, "interpolation_mode", {"bilinear", "nearest", "bicubic"}))},
       {"padding_mode",
        std::string(named(call, "padding_mode", {"zeros", "border", "reflection"}))},
       {"align_corners", std::int64_t{call.flag("align_corners")}}});
  return in_dtype(y, input.dtype());
}

// aten.affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor
// theta [b, n, n + 1] moves each point of a grid over the axes of space, the last axis first.
Item affine_grid_generator(const Call& call, Builder& g) {
  const Value theta = call.tensor("theta");
  const std::vector<Number> size = call.numbers("size");
  if (size.size() != 4 && size.size() != 5)
    call.refuse("its size has ", size.size(), " numbers, expected 4 or 5");
  const bool align_corners = call.flag("align_corners");
  const std::vector<Number> space(size.begin() + 2, size.end());
  const auto n = static_cast<std::int64_t>(space.size());
  std::vector<Number> shape = space;  // of the grid, with one for the coordinate
  shape.push_back(Number::of_int(1));
  std::vector<Value> parts;
  for (std::int64_t i = n - 1; i >= 0; --i) {
    const Value points = from_minus_one_to_one(call, space[static_cast<std::size_t>(i)],
                                               align_corners, theta.dtype());
    parts.push_back(expand(along(points, i, shape.size()), call.sizes(shape)));
  }
  parts.push_back(expand(g.scalar(1, theta.dtype()), call.sizes(shape)));
  const Value points = reshape(concat(parts, n), {-1, n + 1});               // [points, n + 1]
  const Value moved = matmul(points, voxport::transpose(theta, {0, 2, 1}));  // [b, points, n]
  std::vector<Number> target = {size_at(call, theta, 0)};
  target.insert(target.end(), space.begin(), space.end());
  target.push_back(Number::of_int(n));
  return reshape(moved, call.sizes(target));
}

}  // namespace voxport::ops
