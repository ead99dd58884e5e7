// Sampling of images at the positions that a grid holds.
#include "lower/ops/ops.h"
#include "lower/ops/spatial.h"

namespace voxport::ops {
namespace {

std::string named(const Call& call, std::string_view argument,
                  const std::vector<const char*>& names) {
  const std::int64_t i = call.integer(argument);
  if (i < 0 || i >= std::ssize(names)) call.refuse("there is no ", argument, " ", i);
  return names[static_cast<std::size_t>(i)];
}

std::string interpolation_of(const Call& call) {
  return named(call, "interpolation_mode", {"bilinear", "nearest", "bicubic"});
}

// The middles of n cells that cover -1 to 1, or, where corners are aligned, n points from -1 to 1.
Value from_minus_one_to_one(const Call& call, const Number& n, bool align_corners, DType dtype) {
  const Value i = cast(range(call.sizes({n})), dtype);
  const Value count = call.scopes().value_of(n, dtype);
  if (!align_corners) return (i * 2 + 1) / count - 1;
  // One point alone lies in the middle.
  const Value is_one = less_or_equal(count, 1);
  const Value points = i * 2 / maximum(count - 1, 1) - 1;
  return where(is_one, points + 1, points);
}

enum class Padding { kZeros, kBorder, kReflection };

// The sampling of a volume [b, c, ...] at places [b, ..., n], written out: ONNX knows that of
// images only before opset 20.
class VolumeSampling {
 public:
  VolumeSampling(const Call& call, const Value& x, const Value& grid)
      : call_(call),
        g_(x.graph()),
        x_(reshape(x, {0, 0, -1})),
        is_nearest_(call.integer("interpolation_mode") == 1),
        padding_(static_cast<Padding>(call.integer("padding_mode"))),
        aligns_(call.flag("align_corners")) {
    const auto n = static_cast<std::int64_t>(x.rank()) - 2;
    for (std::int64_t i = 0; i < n; ++i) {
      const Value coordinate = gather(grid, g_.int64(n - 1 - i), -1);  // the last axis comes first
      axes_.push_back(axis(size_at(call, x, i + 2), reshape(coordinate, {0, 1, -1})));
    }
  }

  // [b, c, places]
  Value operator()() {
    Value sum;
    const std::size_t corners = is_nearest_ ? 1 : std::size_t{1} << axes_.size();
    for (std::size_t i = 0; i < corners; ++i) sum = sum ? sum + corner(i) : corner(i);
    return sum;
  }

 private:
  // Values are of shape [b, 1, places], in elements along the axis.
  struct Axis {
    Number size;
    Value at;      // the element at or before each place
    Value weight;  // of the element behind that
  };

  Value as_float(const Number& number) { return call_.scopes().value_of(number, x_.dtype()); }
  Value floor_of(const Value& x) { return g_.node("Floor", {x}); }

  Axis axis(const Number& size, const Value& coordinate) {
    const Value count = as_float(size);
    const Value place = inside(
        aligns_ ? (coordinate + 1) / 2 * (count - 1) : ((coordinate + 1) * count - 1) / 2, count);
    if (is_nearest_) return {size, round(place), {}};
    const Value at = floor_of(place);
    return {size, at, place - at};
  }

  // Places beyond the volume, unless they are left to be zeros, come back to it.
  Value inside(const Value& place, const Value& count) {
    if (padding_ == Padding::kZeros) return place;
    const Value back = padding_ == Padding::kReflection ? reflected(place, count) : place;
    return minimum(maximum(back, 0), count - 1);
  }

  // At the middles of the outermost elements, or, where corners are not aligned, at their ends.
  Value reflected(const Value& place, const Value& count) {
    const double low = aligns_ ? 0 : -0.5;
    const Value span = maximum(aligns_ ? count - 1 : count, 1);
    const Value distance = abs(place - low);
    const Value flips = floor_of(distance / span);
    const Value rest = distance - flips * span;
    const Value is_odd = greater(flips - floor_of(flips / 2) * 2, 0.5);
    return where(is_odd, span - rest, rest) + low;
  }

  // One of the elements around each place, times its weight; bit k says that it is behind the place
  // along axis k. What is outside is zero.
  Value corner(std::size_t bits) {
    Value index, is_inside, weight;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const Axis& axis = axes_[k];
      const bool is_behind = (bits >> k & 1) != 0;
      const Value at = is_behind ? axis.at + 1 : axis.at;
      const Value last = as_float(axis.size) - 1;
      const Value inside = minimum(maximum(at, 0), last);
      const Value part = cast(inside, DType::kInt64);
      const Value fits = g_.node("Equal", {inside, at});
      index = index ? index * call_.scopes().value_of(axis.size) + part : part;
      is_inside = is_inside ? g_.node("And", {is_inside, fits}) : fits;
      if (is_nearest_) continue;
      const Value share = is_behind ? axis.weight : g_.scalar(1, x_.dtype()) - axis.weight;
      weight = weight ? weight * share : share;
    }
    const Value shape =
        concat({size_value(call_, x_, 0), size_value(call_, x_, 1), size(index, 2)}, 0);
    const Value elements = gather_elements(x_, expand(index, shape), 2);
    const Value value = where(is_inside, elements, g_.scalar(0, x_.dtype()));
    return weight ? value * weight : value;
  }

  const Call& call_;
  Builder g_;
  Value x_;  // [b, c, elements]
  bool is_nearest_;
  Padding padding_;
  bool aligns_;
  std::vector<Axis> axes_;
};

Value sampled_volume(const Call& call, const Value& x, const Value& grid) {
  if (interpolation_of(call) == "bicubic") call.refuse("volumes are not sampled by cubics");
  std::vector<Number> shape = {size_at(call, x, 0), size_at(call, x, 1)};
  for (std::int64_t i = 1; i < 4; ++i) shape.push_back(size_at(call, grid, i));
  return reshape(VolumeSampling(call, x, grid)(), call.sizes(shape));
}

// The last axis of a grid has one coordinate for each axis of space.
void require_coordinates(const Call& call, const Value& grid) {
  const auto space = static_cast<std::int64_t>(grid.rank()) - 2;
  const Dim& coordinates = grid.dim(-1);
  if (!coordinates.is_constant()) return call.walk().note_fixed(coordinates, space);
  if (coordinates != Dim(space))
    call.refuse("the last axis of its grid has ", *coordinates.constant(),
                " coordinates, expected ", space);
}

}  // namespace

// aten.grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode,
//   bool align_corners) -> Tensor
// ONNX Runtime samples only images of float32.
Item grid_sampler(const Call& call, Builder& g) {
  const Value input = call.tensor("input");
  if (!is_floating(input.dtype()))
    call.refuse("it samples ", name_of(input.dtype()), ", expected floats");
  const Value x = in_dtype(input, DType::kFloat32);
  const Value grid = call.tensor_as("grid", DType::kFloat32);
  if (x.rank() != grid.rank() || (x.rank() != 4 && x.rank() != 5))
    call.refuse("its input has ", x.rank(), " axes and its grid ", grid.rank(),
                ", expected 4 or 5 of both");
  require_coordinates(call, grid);
  const std::string padding = named(call, "padding_mode", {"zeros", "border", "reflection"});
  if (x.rank() == 5) return in_dtype(sampled_volume(call, x, grid), input.dtype());
  const Value y = g.node("GridSample", {x, grid},
                         {{"mode", interpolation_of(call)},
                          {"padding_mode", padding},
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
