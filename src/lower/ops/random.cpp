// Random numbers. Each run draws anew, as PyTorch would; which numbers come out nobody promises.
#include <cmath>
#include <numbers>

#include "lower/ops/ops.h"
#include "lower/ops/parts.h"

namespace voxport::ops {
namespace {

// What ONNX can draw.
DType drawn_type(DType dtype) { return dtype == DType::kFloat64 ? dtype : DType::kFloat32; }

Value drawn(const char* op, const Value& shape, DType dtype) {
  return Builder(shape.graph())
      .node(op, {zeros(shape, dtype)}, {{"dtype", std::string(name_of(dtype))}});
}

Value normal_noise(const Value& shape, DType dtype) {
  return drawn("RandomNormalLike", shape, drawn_type(dtype));
}

// Evenly in [0, 1).
Value even_noise(const Value& shape, DType dtype) {
  return drawn("RandomUniformLike", shape, drawn_type(dtype));
}

// Evenly in (0, 1): where a logarithm is taken.
Value open_noise(const Value& shape, DType dtype) {
  constexpr double kLeast = 1e-37, kMost = 1 - 0x1p-24;
  return clip(even_noise(shape, dtype), kLeast, kMost);
}

// The type of what is made: dtype=, that of `self`, or float32.
DType drawn_type(const Call& call) {
  const DType own = call.has("self") ? call.tensor("self").dtype() : DType::kFloat32;
  return call.dtype("dtype").value_or(own);
}

Value made_shape(const Call& call) {
  return call.has("size") ? call.sizes("size") : shape_of(call.tensor("self"));
}

Value number_as(const Call& call, std::string_view name, DType dtype) {
  return call.scopes().value_of(call.number(name), dtype);
}

// Whole numbers in [low, high). In float64, so that they are drawn alike up to 2^53.
Item whole_numbers(const Call& call, const Value& low, const Value& high, Builder& g) {
  const Value span = cast(high - low, DType::kFloat64);
  const Value drawn = g.node("Floor", {even_noise(made_shape(call), DType::kFloat64) * span});
  const Value within = g.node("Min", {drawn, span - 1});
  return cast(cast(within, DType::kInt64) + low, drawn_type(call));
}

Value bound(const Call& call, std::string_view name, std::int64_t otherwise, Builder& g) {
  return call.has(name) ? number_as(call, name, DType::kInt64) : g.int64(otherwise);
}

}  // namespace

// aten.rand(SymInt[] size, *, ScalarType? dtype=None, ...) -> Tensor, aten.rand_like
Item rand(const Call& call, Builder&) {
  const DType dtype = drawn_type(call);
  return cast(even_noise(made_shape(call), dtype), dtype);
}

// aten.randn(SymInt[] size, *, ScalarType? dtype=None, ...) -> Tensor, aten.randn_like
Item randn(const Call& call, Builder&) {
  const DType dtype = drawn_type(call);
  return cast(normal_noise(made_shape(call), dtype), dtype);
}

// aten.randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=long, ...)
//   -> Tensor, aten.randint_like
Item randint(const Call& call, Builder& g) {
  return whole_numbers(call, bound(call, "low", 0, g), number_as(call, "high", DType::kInt64), g);
}

// aten.random.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor
Item random(const Call& call, Builder& g) {
  if (!call.has("to")) call.refuse("it draws from all numbers that its type can hold");
  return whole_numbers(call, bound(call, "from", 0, g), number_as(call, "to", DType::kInt64), g);
}

// aten.normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor
// aten.normal.float_float(float mean, float std, SymInt[] size, *, ...) -> Tensor
// aten.normal_functional(Tensor self, float mean=0, float std=1, ...) -> Tensor, aten.normal_
Item normal(const Call& call, Builder&) {
  const bool has_tensors = call.item("mean").is_tensor() || call.item("std").is_tensor();
  if (call.has("self") || call.has("size") || !has_tensors) {
    const DType dtype = drawn_type(call);
    const Value noise = normal_noise(made_shape(call), dtype);
    return cast(
        noise * number_as(call, "std", noise.dtype()) + number_as(call, "mean", noise.dtype()),
        dtype);
  }
  const DType dtype = call.tensor(call.item("mean").is_tensor() ? "mean" : "std").dtype();
  const DType kernel = drawn_type(dtype);
  const Value mean = cast(call.tensor_as("mean", dtype), kernel);
  const Value deviation = cast(call.tensor_as("std", dtype), kernel);
  const Value noise = normal_noise(shape_of(mean + deviation), dtype);
  return cast(noise * deviation + mean, dtype);
}

// aten.log_normal(Tensor self, float mean=1, float std=2, *, Generator? generator=None) -> Tensor
Item log_normal(const Call& call, Builder&) {
  const Value noise = normal_noise(made_shape(call), drawn_type(call));
  const Value log =
      noise * number_as(call, "std", noise.dtype()) + number_as(call, "mean", noise.dtype());
  return cast(exp(log), drawn_type(call));
}

// aten.uniform(Tensor self, float from=0, float to=1, *, Generator? generator=None) -> Tensor
Item uniform(const Call& call, Builder&) {
  const Value noise = even_noise(made_shape(call), drawn_type(call));
  const Value from = number_as(call, "from", noise.dtype());
  const Value to = number_as(call, "to", noise.dtype());
  return cast(noise * (to - from) + from, drawn_type(call));
}

// aten.exponential(Tensor self, float lambd=1, *, Generator? generator=None) -> Tensor
Item exponential(const Call& call, Builder& g) {
  const Value noise = open_noise(made_shape(call), drawn_type(call));
  const Value minus_lambd = g.scalar(-call.real("lambd"), noise.dtype());
  return cast(g.node("Log", {noise}) / minus_lambd, drawn_type(call));
}

// aten.cauchy(Tensor self, float median=0, float sigma=1, *, Generator? generator=None) -> Tensor
Item cauchy(const Call& call, Builder& g) {
  const Value noise = open_noise(made_shape(call), DType::kFloat32);
  const Value slope = g.node("Tan", {(noise - 0.5) * std::numbers::pi});
  return cast(slope * call.real("sigma") + call.real("median"), drawn_type(call));
}

// aten.geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor
Item geometric(const Call& call, Builder& g) {
  const Value noise = open_noise(made_shape(call), drawn_type(call));
  const Value tries = g.node("Log", {noise}) / std::log1p(-call.real("p"));
  return cast(maximum(ceil(tries), 1), drawn_type(call));
}

// aten.bernoulli(Tensor self, *, Generator? generator=None) -> Tensor: 1 as often as self says
// aten.bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor
Item bernoulli(const Call& call, Builder& g) {
  const Value self = call.tensor("self");
  const DType kernel = drawn_type(self.dtype());
  const Value p = call.tensor_as(call.has("p") ? "p" : "self", kernel);
  return cast(g.node("Less", {even_noise(shape_of(self), kernel), p}), self.dtype());
}

// aten.multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator?
//   generator=None) -> Tensor
// A race: each category arrives after an exponential time, the sooner the likelier it is. The first
// of many races are drawn with replacement, the first of one race without.
Item multinomial(const Call& call, Builder& g) {
  const Value self = call.tensor("self");
  const Value p = cast(self, drawn_type(self.dtype()));  // [c] or [b, c]
  const Value samples = call.size("num_samples");
  const auto count = call.number("num_samples").as_int();
  const auto size = p.rank() == 0 ? std::nullopt : p.dim(-1).constant();
  if (!call.flag("replacement") && count && size && *count > *size)
    call.refuse("it draws ", *count, " of ", *size, " without replacement");
  if (!call.flag("replacement")) {
    const Value times = g.node("Neg", {g.node("Log", {open_noise(shape_of(p), p.dtype())})});
    return g.nodes("TopK", {p / times, samples}, {{"axis", std::int64_t{-1}}}, 2)[1];
  }
  const Value shape = shape_of(p);
  const Value before = slice(shape, 0, 0, -1);
  const Value races = concat({before, samples, slice(shape, 0, -1, INT64_MAX)}, 0);
  const Value times = g.node("Neg", {g.node("Log", {open_noise(races, p.dtype())})});
  return g.node("ArgMax", {unsqueeze(p, {-2}) / times},
                {{"axis", std::int64_t{-1}}, {"keepdims", std::int64_t{0}}});
}

// aten.randperm(SymInt n, *, ScalarType? dtype=long, ...) -> Tensor
// The order of as many random numbers.
Item randperm(const Call& call, Builder& g) {
  const Value n = call.size("n");
  const Value order = g.nodes("TopK", {even_noise(n, DType::kFloat64), n}, {}, 2)[1];
  return cast(order, call.dtype("dtype").value_or(DType::kInt64));
}

}  // namespace voxport::ops
