#include "verify/window.h"

#include <algorithm>

#include "base/tensor_math.h"
#include "base/text.h"
#include "graph/builder.h"

namespace voxport {
namespace {

using Numbers = std::vector<std::int64_t>;

Numbers numbers_of(const Node& node, std::string_view attribute) {
  const Attribute* found = node.find(attribute);
  const auto* numbers = found ? std::get_if<Numbers>(found) : nullptr;
  return numbers ? *numbers : Numbers();
}

// The elements of a constant; nothing for what is computed.
std::optional<Numbers> constant_numbers(const Value& value) {
  const Tensor* tensor = value ? value.constant() : nullptr;
  if (!tensor || tensor->dtype != DType::kInt64 || !tensor->unreadable.empty()) return std::nullopt;
  return int64_values(*tensor);
}

// [3] is written as 3.
std::string size_text(const Numbers& sizes) {
  return sizes.size() == 1 ? cat(sizes.front()) : shape_text(sizes);
}

// The axes that a kernel slides along, with the gaps of a dilated one.
std::optional<std::string> kernel_text(const Node& node) {
  Numbers kernel = numbers_of(node, "kernel_shape");
  const Tensor* weights = node.input(1) ? node.input(1).constant() : nullptr;
  if (kernel.empty() && weights && weights->shape.size() > 2)
    kernel.assign(weights->shape.begin() + 2, weights->shape.end());
  const Numbers dilations = numbers_of(node, "dilations");
  for (std::size_t i = 0; i < std::min(kernel.size(), dilations.size()); ++i)
    kernel[i] = (kernel[i] - 1) * dilations[i] + 1;
  return kernel.empty() ? "its kernel" : "its kernel of " + size_text(kernel);
}

std::optional<std::string> frame_text(const Node& node) {
  if (const auto length = constant_numbers(node.input(3)))
    return "its frame of " + size_text(*length);
  const Tensor* window = node.input(2) ? node.input(2).constant() : nullptr;
  return window ? "its window of " + size_text(window->shape) : "its frame";
}

std::optional<std::string> padding_text(const Node& node) {
  const Attribute* mode = node.find("mode");
  const auto* word = mode ? std::get_if<std::string>(mode) : nullptr;
  const auto pads = constant_numbers(node.input(1));
  const auto is_cut = [](std::int64_t pad) { return pad < 0; };
  if (word && (*word == "reflect" || *word == "wrap")) {
    // What comes from the graph around may be a constant there.
    const std::string computed =
        node.input(1) && node.input(1).producer() ? " by a computed number" : "";
    return cat("its ", *word == "wrap" ? "padding" : "reflection",
               pads ? " by " + shape_text(*pads) : computed);
  }
  if (pads && std::any_of(pads->begin(), pads->end(), is_cut))
    return "its negative padding " + shape_text(*pads);
  return std::nullopt;
}

// Of a Resize that makes an axis shorter, to nothing at last.
std::optional<std::string> scale_text(const Node& node) {
  const Tensor* scales = node.input(2) ? node.input(2).constant() : nullptr;
  if (!scales || scales->dtype != DType::kFloat32 || !scales->unreadable.empty())
    return std::nullopt;
  const std::vector<float> values = to_float32(*scales);
  if (values.empty()) return std::nullopt;
  const float least = *std::min_element(values.begin(), values.end());
  return least < 1 ? std::optional(cat("its scale of ", least)) : std::nullopt;
}

// Of a Slice that takes away the first element, or the last: x[1:], x[:-1]. More may be so many as
// the example had.
std::optional<std::string> part_text(const Node& node) {
  const auto starts = constant_numbers(node.input(1));
  const auto ends = constant_numbers(node.input(2));
  constexpr std::int64_t kToTheEnd = INT32_MAX;
  if (!starts || !ends) return std::nullopt;
  const bool is_first =
      *starts == Numbers(starts->size(), 1) &&
      std::all_of(ends->begin(), ends->end(), [](std::int64_t end) { return end >= kToTheEnd; });
  const bool is_last = *starts == Numbers(starts->size(), 0) && *ends == Numbers(ends->size(), -1);
  if (!is_first && !is_last) return std::nullopt;
  return cat("its part without the ", is_first ? "first" : "last", " element");
}

struct Window {
  std::string_view op;
  std::optional<std::string> (*text)(const Node& node);
};

constexpr Window kWindows[] = {
    {"AveragePool", kernel_text},   {"Conv", kernel_text},        {"ConvInteger", kernel_text},
    {"ConvTranspose", kernel_text}, {"LpPool", kernel_text},      {"MaxPool", kernel_text},
    {"Pad", padding_text},          {"QLinearConv", kernel_text}, {"Resize", scale_text},
    {"STFT", frame_text},           {"Slice", part_text},
};

}  // namespace

std::optional<std::string> window_of(const Node& node) {
  const bool is_baked = node.op() == "ConvTranspose" && node.find("output_shape");
  if (!node.domain().empty() || is_baked) return std::nullopt;
  const auto* found = std::find_if(std::begin(kWindows), std::end(kWindows),
                                   [&](const Window& window) { return window.op == node.op(); });
  return found == std::end(kWindows) ? std::nullopt : found->text(node);
}

}  // namespace voxport
