#include "graph/steps.h"

#include <algorithm>
#include <vector>

namespace voxport {
namespace {

std::int64_t floor_by(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
std::int64_t ceil_by(std::int64_t a, std::int64_t b) { return -floor_by(-a, b); }

// Of the last axis.
std::int64_t number_in(const Node& node, std::string_view name, std::int64_t otherwise) {
  const Attribute* numbers = node.find(name);
  return numbers ? std::get<std::vector<std::int64_t>>(*numbers).back() : otherwise;
}

std::int64_t pad_before(const Node& node) {
  const Attribute* attribute = node.find("pads");
  if (!attribute) return 0;
  const auto& pads = std::get<std::vector<std::int64_t>>(*attribute);
  return pads[pads.size() / 2 - 1];
}

}  // namespace

void Steps::include(const Steps& other) {
  low = std::min(low, other.low);
  high = std::max(high, other.high);
}

Steps needed_by_conv(const Steps& made, std::int64_t width, std::int64_t stride, std::int64_t pad) {
  return {made.low * stride - pad, made.high * stride - pad + width};
}

Steps needed_by_conv_transpose(const Steps& made, std::int64_t width, std::int64_t stride,
                               std::int64_t pad) {
  return {ceil_by(made.low + pad - width, stride), floor_by(made.high + pad, stride)};
}

Steps steps_needed(const Node& convolution, const Steps& made) {
  const std::int64_t kernel = *convolution.input(1).dim(-1).constant();
  const std::int64_t width = (kernel - 1) * number_in(convolution, "dilations", 1);
  const std::int64_t stride = number_in(convolution, "strides", 1);
  const std::int64_t pad = pad_before(convolution);
  return convolution.op() == "Conv" ? needed_by_conv(made, width, stride, pad)
                                    : needed_by_conv_transpose(made, width, stride, pad);
}

}  // namespace voxport
