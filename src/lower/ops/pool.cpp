#include <limits>

#include "lower/arithmetic.h"
#include "lower/ops/ops.h"
#include "lower/ops/spatial.h"

namespace voxport::ops {
namespace {

using Numbers = std::vector<std::int64_t>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One number per axis of space. `before` and `after` are the pads.
struct PoolWindow {
  Numbers kernel, strides, dilations, before, after;

  std::size_t rank() const { return kernel.size(); }
  std::int64_t reach(std::size_t i) const { return dilations[i] * (kernel[i] - 1) + 1; }
  Numbers pads() const {
    Numbers pads = before;
    pads.insert(pads.end(), after.begin(), after.end());
    return pads;
  }
};

// A ceil mode is expressed by padding the end, so that every opset and every version of ONNX
// Runtime counts alike: by stride - 1, but no window may start behind the input and what pads its
// start.
PoolWindow window_of(const Call& call, std::size_t n) {
  PoolWindow window;
  window.kernel = per_axis(call, "kernel_size", n, 1);
  window.strides = per_axis(call, "stride", n, 1, window.kernel);
  window.dilations = per_axis(call, "dilation", n, 1, Numbers(n, 1));
  window.before = window.after = per_axis(call, "padding", n, 0, Numbers(n, 0));
  for (std::size_t i = 0; call.flag("ceil_mode") && i < n; ++i)
    window.after[i] = std::min(window.before[i] + window.strides[i] - 1, window.reach(i) - 1);
  return window;
}

// The axes of space padded by a node of its own.
Value padded(const Value& x, const Numbers& before, const Numbers& after, double value) {
  Numbers pads(2 * x.rank(), 0);
  const std::size_t first = x.rank() - before.size();
  for (std::size_t i = 0; i < before.size(); ++i) {
    pads[first + i] = before[i];
    pads[first + i + x.rank()] = after[i];
  }
  Builder g(x.graph());
  return g.node("Pad", {x, g.int64s(pads), g.scalar(value, x.dtype())});
}

// ONNX Runtime pools float32 and float64, but has no average pool of float64.
Value poolable(const Call& call, bool is_mean) {
  const Value x = call.tensor("self");
  if (is_mean && !is_floating(x.dtype()))
    call.refuse("it takes means of ", name_of(x.dtype()), ", expected floats");
  const bool is_short = x.dtype() == DType::kFloat16 || x.dtype() == DType::kBFloat16;
  const bool is_wide = !is_mean && x.dtype() != DType::kFloat32 && !is_short;
  return in_dtype(x, is_wide ? DType::kFloat64 : DType::kFloat32);
}

// The result of a pool of poolable() in the type and with the axes of the operand.
Value pooled(const Call& call, const Value& y) {
  const Value x = call.tensor("self");
  return in_dtype(without_batch(y, x), x.dtype());
}

// From indices into planes that were padded to those into the planes of x.
Value without_pads(const Call& call, Value indices, const Value& padded, const Value& x,
                   const Numbers& before) {
  Builder g(x.graph());
  Value at;
  Value stride = g.int64s({1});
  for (std::size_t i = before.size(); i-- > 0;) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    const Value size = size_value(call, padded, axis);
    const Value here = (g.node("Mod", {indices, size}) - g.int64s({before[i]})) * stride;
    at = at ? at + here : here;
    indices = indices / size;
    stride = stride * size_value(call, x, axis);
  }
  return at;
}

struct MaxPooled {
  Value y, indices;
};

// ONNX counts indices through the whole tensor, PyTorch through each plane. They come from a node
// of their own, which is dropped where nobody uses them.
MaxPooled max_pooled(const Call& call, Builder& g) {
  const std::size_t n = space_of(call);
  PoolWindow window = window_of(call, n);
  const Value whole = with_batch(call, poolable(call, false), n + 2);
  Value x = whole;
  Numbers removed(n, 0);
  bool fits = true;  // ONNX Runtime wants pads below the kernel's size
  for (std::size_t i = 0; i < n; ++i)
    fits = fits && std::max(window.before[i], window.after[i]) < window.kernel[i];
  if (!fits) {
    x = padded(x, window.before, window.after, -kInfinity);
    removed = std::exchange(window.before, Numbers(n, 0));
    window.after = Numbers(n, 0);
  }
  const Attributes attributes = {{"kernel_shape", window.kernel},
                                 {"strides", window.strides},
                                 {"pads", window.pads()},
                                 {"dilations", window.dilations}};
  const Value y = g.node("MaxPool", {x}, attributes);
  const Value indices = g.nodes("MaxPool", {x}, attributes, 2)[1];
  return {pooled(call, y),
          without_batch(without_pads(call, indices, x, whole, removed), call.tensor("self"))};
}

Value average_pool(Builder& g, const Value& x, const PoolWindow& window, bool counts_pads) {
  return g.node("AveragePool", {x},
                {{"kernel_shape", window.kernel},
                 {"strides", window.strides},
                 {"pads", window.pads()},
                 {"count_include_pad", std::int64_t{counts_pads}}});
}

// The windows of an adaptive pool along one axis: window i is [i*in / out, (i+1)*in / out), the end
// rounded up.
struct AdaptiveWindows {
  Value indices;    // int64 [out, longest]
  Value is_inside;  // bool [out, longest]
  Value lengths;    // int64 [out]
};

AdaptiveWindows adaptive_windows(const Call& call, const Value& x, std::int64_t axis,
                                 const Number& out) {
  Scopes& scopes = call.scopes();
  const Number in = size_at(call, x, axis);
  const Number one = Number::of_int(1);
  const Number most =
      compute(scopes, Arithmetic::kSub, compute(scopes, Arithmetic::kAdd, in, out), one);
  const Number longest =
      compute(scopes, Arithmetic::kAdd, compute(scopes, Arithmetic::kFloorDiv, most, out), one);
  const Value size = call.sizes({in});
  const Value count = call.sizes({out});
  const Value i = range(count);
  const Value starts = i * size / count;
  const Value ends = ((i + 1) * size + (count - 1)) / count;
  const Value at = voxport::unsqueeze(starts, {1}) + range(call.sizes({longest}));
  return {minimum(at, size - 1), less(at, voxport::unsqueeze(ends, {1})), ends - starts};
}

// All windows of an axis, which becomes two: [out, longest]. Outside of them is `outside`.
Value gathered(const Value& x, std::int64_t axis, const AdaptiveWindows& windows, double outside) {
  const Value parts = gather(x, windows.indices, axis);
  const Value mask = along(windows.is_inside, axis, parts.rank());
  return where(mask, parts, Builder(x.graph()).scalar(outside, x.dtype()));
}

// The output sizes of an adaptive pool.
std::vector<Number> output_sizes(const Call& call, std::size_t n) {
  std::vector<Number> sizes = call.numbers("output_size");
  if (sizes.size() == 1) sizes.resize(n, sizes.front());
  if (sizes.size() != n)
    call.refuse("its output_size has ", sizes.size(), " numbers, expected ", n);
  return sizes;
}

// The axes of space of a tensor, from 0 on.
Numbers space_axes(const Value& x, std::size_t n) {
  Numbers axes;
  for (std::size_t i = x.rank() - n; i < x.rank(); ++i)
    axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

bool are_all_one(const std::vector<Number>& sizes) {
  return std::ranges::all_of(sizes, [](const Number& size) { return size.as_int() == 1; });
}

// A pool whose windows lie side by side, where every size is known and divided by the output's.
std::optional<PoolWindow> even_window(const Value& x, const std::vector<Number>& sizes) {
  const std::size_t n = sizes.size();
  PoolWindow window;
  for (std::size_t i = 0; i < n; ++i) {
    const auto in = x.shape()[x.rank() - n + i].constant();
    const auto out = sizes[i].as_int();
    if (!in || !out || *out < 1 || *in == 0 || *in % *out != 0) return std::nullopt;
    window.kernel.push_back(*in / *out);
  }
  window.strides = window.kernel;
  window.dilations = Numbers(n, 1);
  window.before = window.after = Numbers(n, 0);
  return window;
}

// The mean over one axis at a time, which is the mean over all: windows of an axis are alike
// everywhere along the others.
Value adaptive_mean(const Call& call, Value x, std::int64_t axis, const Number& out) {
  if (out.dim() == x.dim(axis)) return x;
  if (out.as_int() == 1)
    return Builder(x.graph()).node("ReduceMean", {x},
                                   {{"axes", Numbers{axis}}, {"keepdims", std::int64_t{1}}});
  const AdaptiveWindows windows = adaptive_windows(call, x, axis, out);
  const Value sums = reduce_sum(gathered(x, axis, windows, 0), {axis + 1}, false);
  return sums / along(cast(windows.lengths, x.dtype()), axis, x.rank());
}

// The place of each element in its plane, in the shape of x.
Value plane_indices(const Call& call, const Value& x, std::size_t n) {
  Builder g(x.graph());
  const Value shape = g.node("Shape", {x});
  const Value plane = voxport::slice(shape, 0, -static_cast<std::int64_t>(n),
                                     std::numeric_limits<std::int64_t>::max());
  Value count = g.int64s({1});
  for (const std::int64_t axis : space_axes(x, n)) count = count * size_value(call, x, axis);
  return expand(reshape(range(count), plane), shape);
}

}  // namespace

// aten.max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0,
//   int[2] dilation=1, bool ceil_mode=False) -> Tensor
Item max_pool(const Call& call, Builder& g) { return max_pooled(call, g).y; }

// aten.max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0,
//   int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)
Item max_pool_with_indices(const Call& call, Builder& g) {
  const MaxPooled result = max_pooled(call, g);
  return std::vector<Value>{result.y, result.indices};
}

// aten.avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0,
//   bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor
// What a ceil mode adds to the end does not count, even where pads do.
Item avg_pool(const Call& call, Builder& g) {
  const std::size_t n = space_of(call);
  PoolWindow window = window_of(call, n);
  Value x = with_batch(call, poolable(call, true), n + 2);
  if (const auto divisor = call.integer_or_none("divisor_override")) {
    double elements = 1;
    for (const std::int64_t size : window.kernel) elements *= static_cast<double>(size);
    return pooled(call,
                  average_pool(g, x, window, true) * (elements / static_cast<double>(*divisor)));
  }
  const bool counts_pads = call.flag("count_include_pad");
  if (counts_pads && window.before != window.after) {
    x = padded(x, window.before, window.before, 0);
    for (std::size_t i = 0; i < n; ++i) window.after[i] -= std::exchange(window.before[i], 0);
    return pooled(call, average_pool(g, x, window, false));
  }
  return pooled(call, average_pool(g, x, window, counts_pads));
}

// aten.adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor
Item adaptive_avg_pool(const Call& call, Builder& g) {
  const std::size_t n = space_of(call);
  const std::vector<Number> sizes = output_sizes(call, n);
  Value x = with_batch(call, poolable(call, true), n + 2);
  const Numbers axes = space_axes(x, n);
  if (are_all_one(sizes))
    return pooled(call, g.node("ReduceMean", {x}, {{"axes", axes}, {"keepdims", std::int64_t{1}}}));
  if (const auto window = even_window(x, sizes))
    return pooled(call, average_pool(g, x, *window, false));
  for (std::size_t i = 0; i < n; ++i) x = adaptive_mean(call, x, axes[i], sizes[i]);
  return pooled(call, x);
}

// aten.adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)
// The last axis goes first: of equals the first one counts.
Item adaptive_max_pool(const Call& call, Builder& g) {
  const std::size_t n = space_of(call);
  const std::vector<Number> sizes = output_sizes(call, n);
  Value x = with_batch(call, poolable(call, false), n + 2);
  const Value whole = x;
  Value indices = plane_indices(call, x, n);
  for (std::size_t i = n; i-- > 0;) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    const AdaptiveWindows windows = adaptive_windows(call, x, axis, sizes[i]);
    const Value parts = gathered(x, axis, windows, -kInfinity);
    const Value largest =
        g.node("ArgMax", {parts}, {{"axis", axis + 1}, {"keepdims", std::int64_t{1}}});
    indices = gather_elements(gather(indices, windows.indices, axis), largest, axis + 1);
    indices = voxport::squeeze(indices, {axis + 1});
    x = reduce_max(parts, {axis + 1}, false);
  }
  if (are_all_one(sizes)) x = reduce_max(whole, space_axes(whole, n), true);
  return std::vector<Value>{pooled(call, x), without_batch(indices, call.tensor("self"))};
}

// aten.max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor
Item max_unpool(const Call& call, Builder& g) {
  const std::size_t n = space_of(call);
  const Value x = with_batch(call, call.tensor("self"), n + 2);
  const Value indices = with_batch(call, call.tensor("indices"), n + 2);
  const Value size = call.sizes(output_sizes(call, n));
  const Value outer = voxport::slice(g.node("Shape", {x}), 0, 0, 2);
  const Value planes = zeros(concat({outer, size}, 0), x.dtype());
  const Value flat = reshape(planes, Numbers{0, 0, -1});
  const Value filled =
      scatter_elements(flat, reshape(indices, Numbers{0, 0, -1}), reshape(x, Numbers{0, 0, -1}), 2);
  return without_batch(reshape(filled, g.node("Shape", {planes})), call.tensor("self"));
}

}  // namespace voxport::ops
