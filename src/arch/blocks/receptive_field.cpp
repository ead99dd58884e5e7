#include "arch/blocks/receptive_field.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/fail.h"
#include "graph/steps.h"

namespace voxport {
namespace {

bool works_on_each_step(std::string_view op) {
  static const std::set<std::string_view> kOps = {
      "Add",     "Concat", "ConstantOfShape", "Cos", "Div", "Exp", "LeakyRelu", "Mul",
      "Sigmoid", "Sin",    "Split",           "Sub", "Tanh"};
  return kOps.contains(op);
}

// A Pad with as many steps before the first; what it reflects counts as what lies there.
Steps before_padding(const Node& pad, const Steps& made) {
  const std::vector<std::int64_t> pads = int64_values(*pad.input(1).constant());
  const std::int64_t before = pads[pads.size() / 2 - 1];
  return {made.low - before, made.high - before};
}

bool keeps_time(const Node& reshape) {
  return reshape.input(0).dim(-1) == reshape.output().dim(-1);
}

// What a node needs of its input for that part of its output.
Steps needed(const Node& node, const Steps& made) {
  if (node.op() == "Conv" || node.op() == "ConvTranspose") return steps_needed(node, made);
  if (node.op() == "Pad" && node.input(1).constant()) return before_padding(node, made);
  if (node.op() == "Reshape" && keeps_time(node)) return made;
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
  std::map<std::string, Steps> intervals;
  for (const auto& [name, value] : graph.outputs())
    if (name == output) intervals[value.name()] = {0, stretch - 1};
  const std::vector<Node> nodes = graph.nodes();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    for (const Value& made : node->outputs()) {
      const auto found = intervals.find(made.name());
      if (found == intervals.end()) continue;
      if (std::ranges::none_of(node->inputs(), has_time)) continue;  // a constant of any length
      const Steps wanted = needed(*node, found->second);
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
