#include <utility>

#include "lower/ops/ops.h"
#include "lower/ops/parts.h"
#include "lower/ops/spatial.h"

namespace voxport::ops {
namespace {

using Numbers = std::vector<std::int64_t>;

// One number per axis of space; pads before all of them, then after all of them.
struct ConvWindow {
  Numbers strides, dilations, pads, output_padding;
  std::int64_t groups = 1;
};

Numbers kernel_of(const Call& call, const Value& weight) {
  Numbers kernel;
  for (std::size_t i = 2; i < weight.rank(); ++i) {
    const auto size = weight.shape()[i].constant();
    if (!size) call.refuse("the size of its kernel must be known before the run");
    if (*size > INT32_MAX) call.refuse("its kernel has ", *size, " elements along an axis");
    kernel.push_back(*size);
  }
  if (kernel.empty()) call.refuse("its weight has ", weight.rank(), " axes, expected 3 or more");
  return kernel;
}

// As much as keeps the size, or none. What is odd goes to the end.
Numbers named_pads(const Call& call, const Numbers& kernel, const ConvWindow& window) {
  const std::string name = call.text("padding");
  Numbers pads(2 * kernel.size(), 0);
  if (name == "valid") return pads;
  if (name != "same") call.refuse("there is no padding ", in_quotes(name));
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (window.strides[i] != 1) call.refuse("padding 'same' requires a stride of 1");
    const std::int64_t whole = window.dilations[i] * (kernel[i] - 1);
    pads[i] = whole / 2;
    pads[i + kernel.size()] = whole - whole / 2;
  }
  return pads;
}

ConvWindow window_of(const Call& call, const Numbers& kernel) {
  const std::size_t n = kernel.size();
  ConvWindow window;
  window.strides = per_axis(call, "stride", n, 1);
  window.dilations = per_axis(call, "dilation", n, 1);
  window.output_padding = per_axis(call, "output_padding", n, 0, Numbers(n, 0));
  window.groups = call.number("groups").as_int().value_or(1);  // see convolve_rows()
  if (window.groups < 1) call.refuse("it has ", window.groups, " groups, expected 1 or more");
  if (call.item("padding").text()) {
    window.pads = named_pads(call, kernel, window);
  } else {
    window.pads = per_axis(call, "padding", n, 0);
    window.pads.insert(window.pads.end(), window.pads.begin(), window.pads.end());
  }
  return window;
}

// ONNX Runtime convolves only float32.
Value convolve(const Call& call, Builder& g, const Value& input, const Value& weight,
               const Value& bias, const ConvWindow& window, bool is_transposed) {
  if (!is_floating(input.dtype()))
    call.refuse("it convolves ", name_of(input.dtype()), ", expected floats");
  const Value x = with_batch(call, input, weight.rank());
  std::vector<Value> inputs = {in_dtype(x, DType::kFloat32), in_dtype(weight, DType::kFloat32)};
  if (bias) inputs.push_back(in_dtype(bias, DType::kFloat32));
  const Dim channels = is_transposed ? weight.dim(0) : weight.dim(1) * Dim(window.groups);
  if (channels.is_constant() && !x.dim(1).is_constant())
    call.walk().note_fixed(x.dim(1), *channels.constant());
  Attributes attributes = {{"kernel_shape", kernel_of(call, weight)},
                           {"strides", window.strides},
                           {"pads", window.pads},
                           {"dilations", window.dilations},
                           {"group", window.groups}};
  if (is_transposed && std::ranges::any_of(window.output_padding, [](auto n) { return n != 0; }))
    attributes.emplace_back("output_padding", window.output_padding);
  const Value y = g.node(is_transposed ? "ConvTranspose" : "Conv", inputs, std::move(attributes));
  return in_dtype(without_batch(y, input), input.dtype());
}

// ONNX Runtime requires output_padding to be below the stride. It is what padding cuts less off the
// end, so that larger values can be expressed by pads.
void shorten_output_padding(const Call& call, ConvWindow& window) {
  const std::size_t n = window.strides.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (window.output_padding[i] < window.strides[i]) continue;
    window.pads[i + n] -= std::exchange(window.output_padding[i], 0);
    if (window.pads[i + n] < 0)
      call.refuse("its output_padding is neither below its stride nor within its padding");
  }
}

// The kernel [1, 1, k, ...] that a weight [c, 1, k, ...] repeats; absent for other weights.
Value repeated_kernel(const Value& weight) {
  const std::optional<Node> node = weight.producer();
  if (!node || (node->op() != "Expand" && node->op() != "Tile")) return {};
  const Value kernel = node->inputs()[0];
  Shape one = weight.shape();
  one[0] = 1;
  return kernel.shape() == one && one[1] == Dim(1) ? kernel : Value();
}

// A convolution of a dynamic number of groups, of one channel and the same kernel each, as
// torchaudio's compute_deltas has: the channels are rows of a batch.
Item convolve_rows(const Call& call, Builder& g, bool is_transposed) {
  const Value input = call.tensor("input");
  const Value weight = call.tensor("weight");
  const Dim groups = call.number("groups").dim();
  const Value x = with_batch(call, input, weight.rank());
  const Value kernel = repeated_kernel(weight);
  if (!kernel || x.dim(1) != groups || weight.dim(0) != groups || call.has("bias"))
    call.refuse(
        "how many groups it has depends on a dynamic axis (", groups.text(),
        "); that axis must be fixed, or one kernel of one channel be repeated for all groups");
  ConvWindow window = window_of(call, kernel_of(call, weight));
  if (is_transposed) shorten_output_padding(call, window);
  const Value rows = reshape(x, shape_with(x, 0, 2, g.int64s({-1, 1})));
  const Value y = convolve(call, g, rows, kernel, Value(), window, is_transposed);
  const Value lead = voxport::slice(shape_of(x), 0, 0, 2);
  return without_batch(reshape(y, shape_with(y, 0, 2, lead)), input);
}

Item convolve(const Call& call, Builder& g, bool is_transposed) {
  if (!call.number("groups").as_int()) return convolve_rows(call, g, is_transposed);
  const Value weight = call.tensor("weight");
  ConvWindow window = window_of(call, kernel_of(call, weight));
  if (is_transposed) shorten_output_padding(call, window);
  return convolve(call, g, call.tensor("input"), weight, call.tensor_or_none("bias"), window,
                  is_transposed);
}

}  // namespace

// aten.conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1,
//   SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor
// aten.conv2d.padding(..., str padding="valid", ...) -> Tensor
Item conv(const Call& call, Builder& g) { return convolve(call, g, false); }

// aten.conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1,
//   SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] dilation=1)
//   -> Tensor
Item conv_transpose(const Call& call, Builder& g) { return convolve(call, g, true); }

// aten.convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding,
//   SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor
Item convolution(const Call& call, Builder& g) {
  return convolve(call, g, call.flag("transposed"));
}

// aten.conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor
Item conv_tbc(const Call& call, Builder& g) {
  const Value x = voxport::transpose(call.tensor("self"), {1, 2, 0});         // [b, c, t]
  const Value weight = voxport::transpose(call.tensor("weight"), {2, 1, 0});  // [to, from, k]
  const std::int64_t pad = per_axis(call, "pad", 1, 0).front();
  const ConvWindow window = {
      .strides = {1}, .dilations = {1}, .pads = {pad, pad}, .output_padding = {}};
  const Value y = convolve(call, g, x, weight, call.tensor("bias"), window, false);
  return voxport::transpose(y, {2, 0, 1});
}

}  // namespace voxport::ops
