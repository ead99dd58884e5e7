#include "passes/for_onnxruntime/time_convolution.h"

#include <set>
#include <utility>
#include <vector>

#include "passes/rewrite.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

const Tensor* constant_float32(const Value& value) {
  const Tensor* constant = value ? value.constant() : nullptr;
  return constant && constant->dtype == DType::kFloat32 ? constant : nullptr;
}

Ints numbers(const Node& node, std::string_view name, const Ints& otherwise) {
  const Attribute* attribute = node.find(name);
  return attribute ? std::get<Ints>(*attribute) : otherwise;
}

bool leaves_sizes_to_the_runtime(const Node& node) {
  const Attribute* auto_pad = node.find("auto_pad");
  return node.find("output_shape") || (auto_pad && std::get<std::string>(*auto_pad) != "NOTSET");
}

}  // namespace

std::optional<TimeConvolution> time_convolution(const Node& node) {
  if ((node.op() != "Conv" && node.op() != "ConvTranspose") || !node.domain().empty())
    return std::nullopt;
  const Value x = node.input(0);
  const Tensor* weight = constant_float32(node.input(1));
  const Tensor* bias = constant_float32(node.input(2));
  if (!weight || !x.type().shape || x.dtype() != DType::kFloat32) return std::nullopt;
  if ((node.input(2) && !bias) || leaves_sizes_to_the_runtime(node)) return std::nullopt;
  const std::size_t axes = x.rank() - 2;  // rows and time, or time alone
  if (axes < 1 || axes > 2 || weight->shape.size() != x.rank()) return std::nullopt;
  const Ints pads = numbers(node, "pads", Ints(2 * axes, 0));
  const Ints strides = numbers(node, "strides", Ints(axes, 1));
  const bool is_along_rows =
      axes == 1 || (weight->shape[2] == 1 && strides[0] == 1 && pads[0] == 0 && pads[2] == 0);
  if (!is_along_rows) return std::nullopt;
  TimeConvolution found{*weight, std::nullopt};
  if (bias) found.bias = *bias;
  found.kernel = weight->shape.back();
  found.stride = strides.back();
  found.dilation = numbers(node, "dilations", Ints(axes, 1)).back();
  found.group = integer_of(node, "group", 1);
  found.pad_before = pads[axes - 1];
  found.pad_after = pads[2 * axes - 1];
  const Ints output_padding = numbers(node, "output_padding", Ints(axes, 0));
  if (axes == 2 && output_padding[0] != 0) return std::nullopt;
  found.output_padding = output_padding.back();
  return found;
}

bool is_worth_phases(const TimeConvolution& up) {
  const std::int64_t taps = (up.kernel + up.stride - 1) / up.stride * up.stride;
  return up.group == 1 && up.dilation == 1 && 4 * taps <= 5 * up.kernel &&
         up.output_padding <= taps - up.kernel + up.pad_after;
}

bool is_multiple(const Dim& dim, std::int64_t divisor) {
  return dim == Dim(divisor) * floor_div(dim, divisor);
}

bool makes_blocks_of_samples(const Node& node, const TimeConvolution& conv) {
  const Dim& length = node.input(0).dim(kTimeAxis);
  return node.op() == "Conv" && conv.weight.shape[0] == 1 && conv.group == 1 && conv.stride == 1 &&
         conv.dilation == 1 && node.output().dim(kTimeAxis) == length &&
         is_multiple(length, kBlock);
}

std::string_view module_of(const Node& node) {
  const std::string_view name = node.name();
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

bool is_unary_elementwise(std::string_view op) {
  static const std::set<std::string_view> kOps = {
      "Abs",       "Cos",       "Elu",      "Erf",      "Exp",        "Gelu", "HardSigmoid",
      "HardSwish", "LeakyRelu", "Log",      "Neg",      "Reciprocal", "Relu", "Selu",
      "Sigmoid",   "Sin",       "Softplus", "Softsign", "Sqrt",       "Tanh"};
  return kOps.contains(op);
}

bool is_broadcasting(std::string_view op) {
  static const std::set<std::string_view> kOps = {"Add", "Div", "Max", "Min", "Mul", "Pow", "Sub"};
  return kOps.contains(op);
}

}  // namespace voxport
