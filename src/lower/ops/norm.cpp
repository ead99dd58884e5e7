#include "lower/ops/ops.h"
#include "lower/ops/spatial.h"

namespace voxport::ops {
namespace {

using Axes = std::vector<std::int64_t>;

// Normalisations are computed in float32 or more.
DType wide(const Call& call, const Value& x) {
  if (!is_floating(x.dtype()))
    call.refuse("it normalises ", name_of(x.dtype()), ", expected floats");
  return x.dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
}

// What a normalisation gives: the tensor, and in ATen's own operators what it was divided by.
struct Normalised {
  Value y, mean, rstd;
};

Value mean_of(const Value& x, const Axes& axes) {
  return Builder(x.graph()).node("ReduceMean", {x},
                                 {{"axes", axes}, {"keepdims", std::int64_t{1}}});
}

Value reciprocal_root(const Value& variance, double eps) {
  return Builder(variance.graph()).node("Reciprocal", {sqrt(variance + eps)});
}

// By the mean and the variance over some axes, which the two keep with size 1.
Normalised standardised(const Value& x, const Axes& axes, double eps) {
  const Value mean = mean_of(x, axes);
  const Value centred = x - mean;
  const Value rstd = reciprocal_root(mean_of(centred * centred, axes), eps);
  return {centred * rstd, mean, rstd};
}

// All axes from `first` on, but for the channels.
Axes axes_without_channels(std::size_t rank, std::int64_t first) {
  Axes axes;
  for (std::int64_t i = first; i < static_cast<std::int64_t>(rank); ++i)
    if (i != 1) axes.push_back(i);
  return axes;
}

Axes last_axes(std::size_t count) {
  Axes axes;
  for (std::size_t i = count; i > 0; --i) axes.push_back(-static_cast<std::int64_t>(i));
  return axes;
}

// A number for each channel of x: a weight in x's type or, where there is none, the same for all.
Value per_channel(const Call& call, std::string_view name, const Value& x, double otherwise) {
  if (call.has(name)) return call.tensor_as(name, x.dtype());
  return expand(Builder(x.graph()).scalar(otherwise, x.dtype()), size_value(call, x, 1));
}

// Times weight and plus bias, where they are: one number for each channel.
Value scaled_by_channel(const Call& call, Value y) {
  Axes shape(y.rank() - 1, 1);  // [c, 1, ...]
  shape[0] = -1;
  if (call.has("weight")) y = y * reshape(call.tensor_as("weight", y.dtype()), shape);
  if (call.has("bias")) y = y + reshape(call.tensor_as("bias", y.dtype()), shape);
  return y;
}

Value by_running_stats(const Call& call, Builder& g, const Value& x) {
  const DType dtype = x.dtype();
  return g.node("BatchNormalization",
                {x, per_channel(call, "weight", x, 1), per_channel(call, "bias", x, 0),
                 call.tensor_as("running_mean", dtype), call.tensor_as("running_var", dtype)},
                {{"epsilon", call.real("eps")}});
}

[[noreturn]] void refuse_training(const Call& call) {
  call.refuse(
      "it is in training mode, where it learns from its input: call eval() on the model before it "
      "is exported");
}

// Without running stats, those of the batch are used.
Normalised batch_normalised(const Call& call, Builder& g) {
  const Value input = call.tensor("input");
  const Value x = in_dtype(input, wide(call, input));
  if (x.rank() < 2) call.refuse("its input has ", x.rank(), " axes, expected 2 or more");
  if (call.has("running_mean") && call.flag("training")) refuse_training(call);
  if (call.has("running_mean")) {
    const Value none = zeros(g.int64s({0}), x.dtype());
    return {in_dtype(by_running_stats(call, g, x), input.dtype()), none, none};
  }
  const Normalised by_batch = standardised(x, axes_without_channels(x.rank(), 0), call.real("eps"));
  return {in_dtype(scaled_by_channel(call, by_batch.y), input.dtype()),
          reshape(by_batch.mean, Axes{-1}), reshape(by_batch.rstd, Axes{-1})};
}

// The channels in groups, each of them normalised in each batch. ONNX Runtime supports only
// float32.
Normalised group_normalised(const Call& call, Builder& g, std::int64_t groups) {
  const Value input = call.tensor("input");
  const Value x = in_dtype(input, wide(call, input));
  if (groups < 1) call.refuse("it has ", groups, " groups, expected 1 or more");
  if (x.rank() < 2) call.refuse("its input has ", x.rank(), " axes, expected 2 or more");
  const Value grouped = reshape(x, Axes{0, groups, -1});  // [b, groups, n]
  const double eps = call.real("eps");
  Normalised by_group = standardised(grouped, {2}, eps);
  if (x.dtype() == DType::kFloat32) {
    const auto filled = [&](double value) {
      return expand(g.scalar(value, x.dtype()), g.int64s({groups}));
    };
    by_group.y =
        g.node("InstanceNormalization", {grouped, filled(1), filled(0)}, {{"epsilon", eps}});
  }
  const Value y = scaled_by_channel(call, reshape(by_group.y, g.node("Shape", {x})));
  return {in_dtype(y, input.dtype()), in_dtype(voxport::squeeze(by_group.mean, {2}), input.dtype()),
          in_dtype(voxport::squeeze(by_group.rstd, {2}), input.dtype())};
}

// The last axes, which the program gives the sizes of. `shape` is empty where they are known
// only at run time.
struct NormalizedShape {
  Axes axes;
  Axes shape;
};

NormalizedShape normalized_shape(const Call& call, const Value& x) {
  const std::vector<Number> sizes = call.numbers("normalized_shape");
  if (sizes.empty() || sizes.size() > x.rank())
    call.refuse("it normalises ", sizes.size(), " axes of a tensor of ", x.rank());
  NormalizedShape normalized = {last_axes(sizes.size()), {}};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto size = sizes[i].as_int();
    if (!size) return {normalized.axes, {}};
    const Dim& dim = x.dim(normalized.axes[i]);
    if (!dim.is_constant()) call.walk().note_fixed(dim, *size);
    normalized.shape.push_back(*size);
  }
  return normalized;
}

Value layer_normalised(const Call& call, Builder& g, const Value& x) {
  const auto [axes, shape] = normalized_shape(call, x);
  const double eps = call.real("eps");
  if (shape.empty()) {
    Value y = standardised(x, axes, eps).y;
    if (call.has("weight")) y = y * call.tensor_as("weight", x.dtype());
    return call.has("bias") ? y + call.tensor_as("bias", x.dtype()) : y;
  }
  const Value weight = call.has("weight") ? call.tensor_as("weight", x.dtype())
                                          : expand(g.scalar(1, x.dtype()), g.int64s(shape));
  std::vector<Value> inputs = {x, weight};
  if (call.has("bias")) inputs.push_back(call.tensor_as("bias", x.dtype()));
  return g.node("LayerNormalization", inputs, {{"axis", axes.front()}, {"epsilon", eps}});
}

// The distance of two neighbours of 1, which is what rms_norm() adds by default.
double epsilon_of(DType dtype) {
  if (dtype == DType::kFloat64) return 0x1p-52;
  if (dtype == DType::kFloat16) return 0x1p-10;
  return dtype == DType::kBFloat16 ? 0x1p-7 : 0x1p-23;
}

Normalised rms_normalised(const Call& call) {
  const Value input = call.tensor("input");
  const Value x = in_dtype(input, wide(call, input));
  const double eps = call.has("eps") ? call.real("eps") : epsilon_of(input.dtype());
  const Value rstd = reciprocal_root(mean_of(x * x, normalized_shape(call, x).axes), eps);
  Value y = x * rstd;
  if (call.has("weight")) y = y * call.tensor_as("weight", x.dtype());
  return {in_dtype(y, input.dtype()), {}, rstd};
}

}  // namespace

// aten.batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean,
//   Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor
Item batch_norm(const Call& call, Builder& g) { return batch_normalised(call, g).y; }

// aten._native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean,
//   Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)
// aten._native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training,
//   float momentum, float eps) -> (Tensor, Tensor, Tensor)
// aten._native_batch_norm_legit_functional gives the running stats too.
Item native_batch_norm(const Call& call, Builder& g) {
  const Normalised normalised = batch_normalised(call, g);
  std::vector<Item> results = {normalised.y, normalised.mean, normalised.rstd};
  if (call.name() == "aten._native_batch_norm_legit_functional") {
    results.emplace_back(call.tensor("running_mean"));
    results.emplace_back(call.tensor("running_var"));
  }
  return Item::tuple(std::move(results));
}

// aten._batch_norm_impl_index(..., bool cudnn_enabled) -> (Tensor, Tensor, Tensor, Tensor, int)
// aten._batch_norm_no_update(..., float eps) -> (Tensor, Tensor, Tensor, Tensor)
// The fourth result is memory that some kernels keep for the backward pass, the fifth names the
// kernel.
Item batch_norm_with_reserve(const Call& call, Builder& g) {
  const Normalised normalised = batch_normalised(call, g);
  std::vector<Item> results = {normalised.y, normalised.mean, normalised.rstd,
                               zeros(g.int64s({0}), DType::kUInt8)};
  if (call.name() == "aten._batch_norm_impl_index") results.emplace_back(Number::of_int(0));
  return Item::tuple(std::move(results));
}

// aten._batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean,
//   Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)
Item batch_norm_with_update(const Call& call, Builder&) { refuse_training(call); }

// aten.instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean,
//   Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled)
//   -> Tensor
Item instance_norm(const Call& call, Builder& g) {
  const Value input = call.tensor("input");
  const Value x = in_dtype(input, wide(call, input));
  if (x.rank() < 3) call.refuse("its input has ", x.rank(), " axes, expected 3 or more");
  const bool has_stats = call.has("running_mean");
  if (has_stats && call.flag("use_input_stats")) refuse_training(call);
  const double eps = call.real("eps");
  Value y;
  if (has_stats) {
    y = by_running_stats(call, g, x);
  } else if (x.dtype() == DType::kFloat32) {
    y = g.node("InstanceNormalization",
               {x, per_channel(call, "weight", x, 1), per_channel(call, "bias", x, 0)},
               {{"epsilon", eps}});
  } else {
    y = scaled_by_channel(call, standardised(x, axes_without_channels(x.rank(), 2), eps).y);
  }
  return in_dtype(y, input.dtype());
}

// aten.group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None,
//   float eps=1e-05, bool cudnn_enabled=True) -> Tensor
Item group_norm(const Call& call, Builder& g) {
  return group_normalised(call, g, call.integer("num_groups")).y;
}

// aten.native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt
// HxW,
//   int group, float eps) -> (Tensor, Tensor, Tensor)
Item native_group_norm(const Call& call, Builder& g) {
  const Normalised normalised = group_normalised(call, g, call.integer("group"));
  return std::vector<Value>{normalised.y, normalised.mean, normalised.rstd};
}

// aten.layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None,
//   float eps=1e-05, bool cudnn_enable=True) -> Tensor
Item layer_norm(const Call& call, Builder& g) {
  const Value input = call.tensor("input");
  return in_dtype(layer_normalised(call, g, in_dtype(input, wide(call, input))), input.dtype());
}

// aten.native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias,
//   float eps) -> (Tensor, Tensor, Tensor)
Item native_layer_norm(const Call& call, Builder& g) {
  const Value input = call.tensor("input");
  const Value x = in_dtype(input, wide(call, input));
  const Axes axes = normalized_shape(call, x).axes;
  const Normalised normalised = standardised(x, axes, call.real("eps"));
  return std::vector<Value>{in_dtype(layer_normalised(call, g, x), input.dtype()),
                            in_dtype(normalised.mean, input.dtype()),
                            in_dtype(normalised.rstd, input.dtype())};
}

// aten.rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None)
//   -> Tensor
Item rms_norm(const Call& call, Builder&) { return rms_normalised(call).y; }

// aten._fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps)
//   -> (Tensor, Tensor)
Item fused_rms_norm(const Call& call, Builder&) {
  const Normalised normalised = rms_normalised(call);
  return std::vector<Value>{normalised.y, normalised.rstd};
}

}  // namespace voxport::ops
