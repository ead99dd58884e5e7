#include "arch/blocks/receptive_field.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/fail.h"

namespace voxport {
namespace {

// Steps of a value, counted from the step whose samples are looked at.
struct Interval {
  std::int64_t low = 0, high = 0;

  void include(const Interval& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

// Of the last axis.
std::int64_t number_in(const Node& node, std::string_view name) {
  return std::get<std::vector<std::int64_t>>(*node.find(name)).back();
}
std::int64_t pad_before(const Node& node) {
  const auto& pads = std::get<std::vector<std::int64_t>>(*node.find("pads"));
  return pads[pads.size() / 2 - 1];
}

bool works_on_each_step(std::string_view op) {
  static const std::set<std::string_view> kOps = {"Add",     "Concat", "Div", "LeakyRelu", "Mul",
                                                  "Sigmoid", "Split",  "Sub", "Tanh"};
  return kOps.contains(op);
}

// What a node needs of its input for that part of its output.
Interval needed(const Node& node, const Interval& made) {
  if (node.op() == "Conv") {
    const std::int64_t first = -pad_before(node);
    const std::int64_t width = (number_in(node, "kernel_shape") - 1) * number_in(node, "dilations");
    const std::int64_t stride = number_in(node, "strides");
    return {made.low * stride + first, made.high * stride + first + width};
  }
  if (node.op() == "ConvTranspose") {
    const std::int64_t stride = number_in(node, "strides");
    const std::int64_t kernel = number_in(node, "kernel_shape");
    const std::int64_t pad = pad_before(node);
    return {ceil_div(made.low + pad - kernel + 1, stride), floor_div(made.high + pad, stride)};
  }
  if (!works_on_each_step(node.op()))
    fail(Error::kInternal, "how far ", node.op(), " ", in_quotes(node.name()),
         " looks is not known");
  return made;
}

bool has_time(const Value& value) {
  return value && !value.constant() && !value.dim(-1).is_constant();
}

}  // namespace

ReceptiveField receptive_field_of(const Graph& graph, std::string_view input,
                                  std::string_view output, std::int64_t stretch) {
  std::map<std::string, Interval> intervals;
  for (const auto& [name, value] : graph.outputs())
    if (name == output) intervals[value.name()] = {0, stretch - 1};
  const std::vector<Node> nodes = graph.nodes();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    for (const Value& made : node->outputs()) {
      const auto found = intervals.find(made.name());
      if (found == intervals.end()) continue;
      const Interval wanted = needed(*node, found->second);
      for (const Value& value : node->inputs())
        if (has_time(value)) intervals.emplace(value.name(), wanted).first->second.include(wanted);
    }
  }
  const auto found = intervals.find(std::string(input));
  if (found == intervals.end())
    fail(Error::kInternal, in_quotes(output), " does not depend on ", in_quotes(input));
  return {std::max<std::int64_t>(0, -found->second.low),
          std::max<std::int64_t>(0, found->second.high)};
}

void check_receptive_field(const ReceptiveField& of_layers, const Graph& graph,
                           std::string_view input, std::string_view output, std::int64_t stretch) {
  const ReceptiveField told = receptive_field_of(graph, input, output, stretch);
  if (told.left != of_layers.left || told.right != of_layers.right)
    fail(Error::kInternal, "the layers reach ", of_layers.left, " and ", of_layers.right,
         " frames, but the nodes of the graph reach ", told.left, " and ", told.right);
}

}  // namespace voxport
