#include "verify/steering.h"

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace voxport {
namespace {

struct Steering {
  std::string_view op;
  std::initializer_list<std::size_t> inputs;
};

// Inputs of operators whose elements are sizes, axes, counts or scales.
constexpr Steering kSteering[] = {
    {"AffineGrid", {1}},
    {"BlackmanWindow", {0}},
    {"CenterCropPad", {1}},
    {"Col2Im", {1, 2}},
    {"Compress", {1}},
    {"ConstantOfShape", {0}},
    {"CumSum", {1}},
    {"DFT", {1, 2}},
    {"Expand", {1}},
    {"HammingWindow", {0}},
    {"HannWindow", {0}},
    {"Loop", {0}},
    {"MaxUnpool", {1, 2}},
    {"MelWeightMatrix", {0, 1, 2, 3, 4}},
    {"NonMaxSuppression", {2, 3, 4}},
    {"OneHot", {1}},
    {"Pad", {1}},
    {"Range", {0, 1, 2}},
    {"ReduceL1", {1}},
    {"ReduceL2", {1}},
    {"ReduceLogSum", {1}},
    {"ReduceLogSumExp", {1}},
    {"ReduceMax", {1}},
    {"ReduceMean", {1}},
    {"ReduceMin", {1}},
    {"ReduceProd", {1}},
    {"ReduceSum", {1}},
    {"ReduceSumSquare", {1}},
    {"Reshape", {1}},
    {"Resize", {2, 3}},
    {"RoiAlign", {2}},
    {"STFT", {1, 3}},
    {"Slice", {1, 2, 3, 4}},
    {"Split", {1}},
    {"SplitToSequence", {1}},
    {"Squeeze", {1}},
    {"Tile", {1}},
    {"TopK", {1}},
    {"Unsqueeze", {1}},
    {"Upsample", {1}},
};

// Operators that hand elements on, or compute with them one by one.
constexpr std::string_view kPassing[] = {
    "Abs",   "Add",       "Cast",      "Ceil",    "Concat", "Div",       "Expand",
    "Floor", "Gather",    "Identity",  "Max",     "Min",    "Mul",       "Neg",
    "Relu",  "ReduceMax", "ReduceSum", "Reshape", "Slice",  "Squeeze",   "Sub",
    "Where", "Flatten",   "Split",     "Pow",     "Round",  "Transpose", "Unsqueeze"};

bool steers(std::string_view op, std::size_t input) {
  const auto* found = std::find_if(std::begin(kSteering), std::end(kSteering),
                                   [&](const Steering& steering) { return steering.op == op; });
  return found != std::end(kSteering) &&
         std::find(found->inputs.begin(), found->inputs.end(), input) != found->inputs.end();
}

bool passes(std::string_view op) {
  return std::find(std::begin(kPassing), std::end(kPassing), op) != std::end(kPassing);
}

using Users = std::unordered_map<std::string, std::vector<Node>>;

Users users_of(const std::vector<Node>& nodes) {
  Users users;
  for (const Node& node : nodes) {
    std::set<std::string> names;
    for (const auto& values : {node.inputs(), node.captured()})
      for (const Value& value : values)
        if (value && names.insert(value.name()).second) users[value.name()].push_back(node);
  }
  return users;
}

bool is_steered(const Node& node, const Value& value) {
  for (std::size_t i = 0; i < node.inputs().size(); ++i)
    if (node.input(i) == value && steers(node.op(), i)) return true;
  return false;
}

// Whether the node's branches read the value: what it is to them is not looked at.
bool captures(const Node& node, const Value& value) {
  return node.op() == "If" && std::ranges::find(node.captured(), value) != node.captured().end();
}

}  // namespace

std::vector<Node> steered_by(const Value& value, const std::vector<Node>& nodes) {
  const Users users = users_of(nodes);
  const bool is_whole = is_integer(value.dtype());  // floats in branches are data
  std::vector<Node> steered;
  std::deque<Value> queue = {value};
  std::set<std::string> seen = {value.name()};
  while (!queue.empty()) {
    const Value at = queue.front();
    queue.pop_front();
    const auto found = users.find(at.name());
    if (found == users.end()) continue;
    for (const Node& node : found->second) {
      const bool is_captured = is_whole && captures(node, at);
      if (is_steered(node, at) || is_captured) steered.push_back(node);
      if (is_captured || (!is_steered(node, at) && passes(node.op()))) {
        for (const Value& output : node.outputs())
          if (output && seen.insert(output.name()).second) queue.push_back(output);
      }
    }
  }
  return steered;
}

bool is_divisor(const Value& value, const std::vector<Node>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) {
    return (node.op() == "Div" || node.op() == "Mod") && node.input(1) == value;
  });
}

}  // namespace voxport
