#include "lower/arithmetic.h"
#include "lower/ops/ops.h"
#include "lower/ops/spatial.h"

namespace voxport::ops {
namespace {

using Numbers = std::vector<std::int64_t>;

enum class ResizeMode { kNearest, kNearestExact, kLinear, kCubic };

// What an axis becomes. Where the program has a scale, that determines where elements come from,
// even if the size was rounded.
struct Target {
  Number size;
  std::optional<Number> scale;
};

struct Resizing {
  ResizeMode mode = ResizeMode::kNearest;
  bool align_corners = false;
  std::vector<Target> targets;  // one per axis of space
  bool antialias = false;
};

Target scaled(const Call& call, const Value& x, std::int64_t axis, const Number& scale) {
  Scopes& scopes = call.scopes();
  const Number in = size_at(call, x, axis);
  // A scale such as 2 or 1.5 keeps the size an expression.
  constexpr std::int64_t kParts = 1024;
  const auto known = scale.as_float();
  if (known && !(*known > 0)) call.refuse("its scale is ", *known, ", expected more than 0");
  const double parts = known.value_or(0.5 / kParts) * kParts;
  if (!in.is_constant() && parts >= 1 && parts <= kParts * kParts &&
      parts == static_cast<double>(static_cast<std::int64_t>(parts))) {
    const Number product =
        compute(scopes, Arithmetic::kMul, in, Number::of_int(static_cast<std::int64_t>(parts)));
    return {compute(scopes, Arithmetic::kFloorDiv, product, Number::of_int(kParts)), scale};
  }
  const Number as_float = as_kind(scopes, scale, Number::Kind::kFloat);
  const Number size = compute(scopes, Arithmetic::kMul, in, as_float);
  return {as_kind(scopes, size, Number::Kind::kInt), scale};
}

// The scales of the form that is given sizes, each with a name of its own.
std::vector<std::string_view> scale_names(std::size_t n) {
  if (n == 1) return {"scales"};
  if (n == 2) return {"scales_h", "scales_w"};
  return {"scales_d", "scales_h", "scales_w"};
}

// One for all axes, or one for each of them.
std::vector<Number> numbers_for(const Call& call, std::string_view name, std::size_t n) {
  std::vector<Number> numbers = call.numbers(name);
  if (numbers.size() == 1) numbers.resize(n, numbers.front());
  if (numbers.size() != n)
    call.refuse("its argument ", in_quotes(name), " has ", numbers.size(), " numbers, expected ",
                n);
  return numbers;
}

std::vector<Target> targets_by(const Call& call, const Value& x, std::string_view sizes,
                               std::string_view scales) {
  const std::size_t n = x.rank() - 2;
  std::vector<Target> targets;
  if (call.has(sizes)) {
    for (const Number& size : numbers_for(call, sizes, n)) targets.push_back({size, {}});
    return targets;
  }
  if (!call.has(scales)) call.refuse("neither a size nor a scale is given");
  for (const Number& scale : numbers_for(call, scales, n))
    targets.push_back(scaled(call, x, static_cast<std::int64_t>(targets.size()) + 2, scale));
  return targets;
}

std::vector<Target> targets_of(const Call& call, const Value& x) {
  std::vector<Target> targets = targets_by(call, x, "output_size", "scale_factors");
  const std::vector<std::string_view> names = scale_names(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (call.has(names[i])) targets[i].scale = call.number(names[i]);
  return targets;
}

// The whole number an axis is made larger by, or 0.
std::int64_t whole_scale(const Target& target) {
  const auto scale = target.scale ? target.scale->as_float() : std::nullopt;
  constexpr double kMaxScale = 1e6;
  if (!scale || *scale < 1 || *scale > kMaxScale) return 0;
  const auto whole = static_cast<std::int64_t>(*scale);
  return static_cast<double>(whole) == *scale ? whole : 0;
}

// Whether i * (1 / n), rounded as PyTorch rounds it, never falls below i / n. Then what it rounds
// down to is what ONNX has.
bool is_exact_reciprocal(std::int64_t n) {
  return static_cast<double>(1.0F / static_cast<float>(n)) >= 1.0 / static_cast<double>(n);
}

// The inputs of an ONNX Resize that means the same, else none.
std::vector<Value> resize_inputs(const Call& call, Builder& g, const Value& x,
                                 const Resizing& resizing) {
  std::vector<float> scales = {1, 1};
  std::vector<Number> sizes = {size_at(call, x, 0), size_at(call, x, 1)};
  bool has_scales = true;
  bool has_sizes = resizing.mode != ResizeMode::kNearest;
  for (const Target& target : resizing.targets) {
    const std::int64_t whole = whole_scale(target);
    if (whole == 0 || (resizing.mode == ResizeMode::kNearest && !is_exact_reciprocal(whole)))
      has_scales = false;
    if (target.scale && !resizing.align_corners) has_sizes = false;
    scales.push_back(static_cast<float>(whole));
    sizes.push_back(target.size);
  }
  const auto rank = static_cast<std::int64_t>(scales.size());
  if (has_scales) return {x, {}, g.constant("scales", tensor_of({rank}, scales))};
  if (has_sizes) return {x, {}, {}, call.sizes(sizes)};
  return {};
}

Attributes resize_attributes(const Resizing& resizing) {
  if (resizing.mode == ResizeMode::kNearest)
    return {{"mode", std::string("nearest")},
            {"coordinate_transformation_mode", std::string("asymmetric")},
            {"nearest_mode", std::string("floor")}};
  const bool is_cubic = resizing.mode == ResizeMode::kCubic;
  Attributes attributes = {{"mode", std::string(is_cubic ? "cubic" : "linear")},
                           {"coordinate_transformation_mode",
                            std::string(resizing.align_corners ? "align_corners" : "half_pixel")}};
  if (is_cubic) attributes.emplace_back("cubic_coeff_a", -0.75);
  return attributes;
}

// One resizing of one axis, written out as PyTorch computes it.
class AxisResizing {
 public:
  AxisResizing(const Call& call, const Value& x, std::int64_t axis, const Resizing& resizing)
      : call_(call),
        g_(x.graph()),
        x_(x),
        axis_(axis),
        resizing_(resizing),
        target_(resizing.targets[static_cast<std::size_t>(axis) - 2]),
        dtype_(x.dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32),
        in_(size_at(call, x, axis)) {}

  Value operator()() {
    if (resizing_.antialias) return antialiased();
    switch (resizing_.mode) {
      case ResizeMode::kNearest: return element(floor_of(places() * ratio()));
      case ResizeMode::kNearestExact: return element(floor_of(source(true) + 0.5));
      case ResizeMode::kLinear: return linear();
      case ResizeMode::kCubic: return cubic();
    }
    return {};
  }

 private:
  Scopes& scopes() { return call_.scopes(); }
  Value as_float(const Number& number) { return scopes().value_of(number, dtype_); }
  Value floor_of(const Value& x) { return g_.node("Floor", {x}); }
  Value places() { return cast(range(call_.sizes({target_.size})), dtype_); }
  Value last() { return scopes().value_of(in_) - 1; }

  // Elements of the input to one of the output.
  Value ratio() {
    if (resizing_.align_corners)
      return (as_float(in_) - 1) / maximum(as_float(target_.size) - 1, 1);
    if (!target_.scale) return as_float(in_) / as_float(target_.size);
    return as_float(compute(scopes(), Arithmetic::kTrueDiv, Number::of_float(1), *target_.scale));
  }

  // Where each element of the output lies in the input.
  Value source(bool starts_at_zero) {
    if (resizing_.align_corners) return places() * ratio();
    const Value at = (places() + 0.5) * ratio() - 0.5;
    return starts_at_zero ? maximum(at, 0) : at;
  }

  // The elements at these positions, clamped to the input.
  Value element(const Value& at) {
    const Value index = cast(at, DType::kInt64);
    return gather(x_, g_.node("Min", {g_.node("Max", {index, g_.int64(0)}), last()}), axis_);
  }

  Value weighted(const Value& at, const Value& weight) {
    return element(at) * along(weight, axis_, x_.rank());
  }

  // An axis that keeps its size is copied, whatever the scale says.
  Value unless_copied(const Value& copied, const Value& resized) {
    if (!target_.scale || resizing_.align_corners) return resized;
    const Value is_copy =
        g_.node("Equal", {scopes().value_of(in_), scopes().value_of(target_.size)});
    return where(is_copy, copied, resized);
  }

  Value linear() {
    const Value at = unless_copied(places(), source(true));
    const Value left = minimum(floor_of(at), cast(last(), dtype_));
    const Value t = clip(at - left, 0, 1);
    return weighted(left, g_.scalar(1, dtype_) - t) + weighted(left + 1, t);
  }

  // Four elements, weighted by the cubic of a = -0.75.
  Value cubic() {
    constexpr double kA = -0.75;
    const Value at = source(false);
    const Value left = minimum(floor_of(at), cast(last(), dtype_));
    const Value t = clip(at - left, 0, 1);
    const Value rest = g_.scalar(1, dtype_) - t;
    return weighted(left - 1, far(t + 1, kA)) + weighted(left, near(t, kA)) +
           weighted(left + 1, near(rest, kA)) + weighted(left + 2, far(rest + 1, kA));
  }

  // What the cubic of `a` gives at distances below 1, and from there below 2.
  Value near(const Value& x, double a) { return (x * (a + 2) - (a + 3)) * x * x + 1; }
  Value far(const Value& x, double a) { return ((x * a - 5 * a) * x + 8 * a) * x - 4 * a; }

  // The weight of an element at this distance: a hat of width 1, or the cubic of a = -0.5, as
  // Pillow has it.
  Value filter(const Value& distance) {
    if (resizing_.mode == ResizeMode::kLinear) return maximum(g_.scalar(1, dtype_) - distance, 0);
    constexpr double kA = -0.5;
    const Value is_near = less(distance, g_.scalar(1, dtype_));
    const Value is_far = less(distance, g_.scalar(2, dtype_));
    return where(is_near, near(distance, kA),
                 where(is_far, far(distance, kA), g_.scalar(0, dtype_)));
  }

  // Each element is a mean over all that its filter reaches, which widens as the axis shrinks: a
  // product with the matrix of all weights.
  Value antialiased() {
    const Value step = maximum(ratio(), 1);
    const Value centre = voxport::unsqueeze((places() + 0.5) * ratio(), {1});  // [out, 1]
    const Value at = cast(range(call_.sizes({in_})), dtype_);                  // [in]
    const Value support = step * (resizing_.mode == ResizeMode::kLinear ? 1.0 : 2.0);
    const Value first = maximum(floor_of(centre - support + 0.5), 0);
    const Value end = floor_of(centre + support + 0.5);
    const Value is_inside = g_.node("And", {greater_or_equal(at, first), less(at, end)});
    const Value weights = where(is_inside, filter(abs((at - centre + 0.5) / step)),
                                g_.scalar(0, dtype_));  // [out, in]
    const Value sums = reduce_sum(weights, {1}, true);
    const Value is_empty = g_.node("Equal", {sums, g_.scalar(0, dtype_)});
    const Value is_same = g_.node("Equal", {voxport::unsqueeze(places(), {1}), at});
    const Value means =
        unless_copied(cast(is_same, dtype_), weights / where(is_empty, g_.scalar(1, dtype_), sums));
    if (axis_ + 1 < static_cast<std::int64_t>(x_.rank())) return matmul(means, x_);
    return matmul(x_, voxport::transpose(means, {1, 0}));
  }

  const Call& call_;
  Builder g_;
  Value x_;
  std::int64_t axis_;
  const Resizing& resizing_;
  const Target& target_;
  DType dtype_;
  Number in_;
};

// By ONNX's Resize where that means the same and ONNX Runtime has a kernel, else written out.
Value resized(const Call& call, Builder& g, const Value& input, const Resizing& resizing) {
  const bool is_nearest =
      resizing.mode == ResizeMode::kNearest || resizing.mode == ResizeMode::kNearestExact;
  if (!is_nearest && !is_floating(input.dtype()))
    call.refuse("it interpolates ", name_of(input.dtype()), ", expected floats");
  for (const Target& target : resizing.targets) call.walk().note_least(target.size.dim(), 1);
  const bool is_short = input.dtype() == DType::kFloat16 || input.dtype() == DType::kBFloat16;
  Value x = is_short ? cast(input, DType::kFloat32) : input;
  const bool is_known = x.dtype() == DType::kFloat32 &&
                        resizing.mode != ResizeMode::kNearestExact && !resizing.antialias;
  if (is_known)
    if (const auto inputs = resize_inputs(call, g, x, resizing); !inputs.empty())
      return in_dtype(g.node("Resize", inputs, resize_attributes(resizing)), input.dtype());
  for (std::size_t i = 0; i < resizing.targets.size(); ++i)
    x = AxisResizing(call, x, static_cast<std::int64_t>(i) + 2, resizing)();
  return in_dtype(x, input.dtype());
}

Item upsampled(const Call& call, Builder& g, ResizeMode mode, bool antialias = false) {
  const Value x = call.tensor(call.has("input") ? "input" : "self");
  if (x.rank() != space_of(call) + 2)
    call.refuse("its input has ", x.rank(), " axes, expected ", space_of(call) + 2);
  return resized(call, g, x, {mode, call.flag("align_corners"), targets_of(call, x), antialias});
}

ResizeMode resize_mode(const Call& call, std::string_view name) {
  if (name == "nearest") return ResizeMode::kNearest;
  if (name == "nearest-exact") return ResizeMode::kNearestExact;
  if (name == "linear" || name == "bilinear" || name == "trilinear") return ResizeMode::kLinear;
  if (name == "bicubic") return ResizeMode::kCubic;
  call.refuse("it interpolates by ", in_quotes(name), ", which is not known");
}

}  // namespace

// aten.upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None,
//   float? scales_w=None) -> Tensor
// aten.upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) ->
// Tensor
Item upsample_nearest(const Call& call, Builder& g) {
  return upsampled(call, g, ResizeMode::kNearest);
}

// aten._upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None,
//   float? scales_w=None) -> Tensor
Item upsample_nearest_exact(const Call& call, Builder& g) {
  return upsampled(call, g, ResizeMode::kNearestExact);
}

// aten.upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners,
//   float? scales_h=None, float? scales_w=None) -> Tensor
// aten.upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners,
//   float[]? scale_factors) -> Tensor
Item upsample_linear(const Call& call, Builder& g) {
  return upsampled(call, g, ResizeMode::kLinear);
}

// aten.upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners,
//   float? scales_h=None, float? scales_w=None) -> Tensor
Item upsample_bicubic(const Call& call, Builder& g) {
  return upsampled(call, g, ResizeMode::kCubic);
}

// aten._upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool align_corners,
//   float? scales_h=None, float? scales_w=None) -> Tensor
Item upsample_bilinear_aa(const Call& call, Builder& g) {
  return upsampled(call, g, ResizeMode::kLinear, true);
}

// aten._upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool align_corners,
//   float? scales_h=None, float? scales_w=None) -> Tensor
Item upsample_bicubic_aa(const Call& call, Builder& g) {
  return upsampled(call, g, ResizeMode::kCubic, true);
}

// aten.__interpolate(Tensor input, int? size=None, float? scale_factor=None, str mode="nearest",
//   bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor
// aten.__upsample(Tensor input, int? size=None, int? scale_factor=None, str mode="nearest",
//   bool? align_corners=None) -> Tensor
// aten.__upsample_bilinear(Tensor input, int? size=None, int? scale_factor=None) -> Tensor
// The last of them aligns corners.
Item interpolate(const Call& call, Builder& g) {
  const Value x = call.tensor("input");
  if (x.rank() < 3) call.refuse("its input has ", x.rank(), " axes, expected 3 or more");
  const bool is_bilinear = call.name() == "aten.__upsample_bilinear";
  const std::string mode = call.has("mode") ? call.text("mode")
                           : is_bilinear    ? "bilinear"
                                            : "nearest";
  const bool antialias = call.flag("antialias");
  if (antialias && x.rank() != 4) call.refuse("antialias is for images, [b, c, h, w]");
  Resizing resizing = {resize_mode(call, mode), is_bilinear || call.flag("align_corners"),
                       targets_by(call, x, "size", "scale_factor"), antialias};
  // Unless told otherwise they forget scales: they are of a PyTorch that did.
  if (!call.has("recompute_scale_factor") || call.flag("recompute_scale_factor"))
    for (Target& target : resizing.targets) target.scale.reset();
  return resized(call, g, x, resizing);
}

}  // namespace voxport::ops
