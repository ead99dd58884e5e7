#include "lower/size_origin.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace voxport {
namespace {

// One axis of a value.
struct Axis {
  Value value;
  std::size_t at = 0;
};

// What becomes of an axis that is followed one node back: it is an axis of an input, or the node
// makes it, or it cannot be followed.
struct Step {
  enum Kind { kGoesOn, kIsMadeHere, kIsLost };
  Kind kind = kIsLost;
  Axis next = {};
};

Step goes_on(const Value& value, std::size_t axis) { return {Step::kGoesOn, {value, axis}}; }

// Of an operator that broadcasts: the axis of the first input that has it in this size. Where one
// of several comes from a constant, the others only follow it.
Step through_broadcast(const Node& node, std::size_t axis) {
  const Shape& to = node.output().shape();
  Step step;
  for (const Value& input : node.inputs()) {
    const std::size_t lead = to.size() - std::min(to.size(), input ? input.rank() : 0);
    if (!input || axis < lead || input.shape()[axis - lead] != to[axis]) continue;
    if (input.constant()) return goes_on(input, axis - lead);
    if (step.kind == Step::kIsLost) step = goes_on(input, axis - lead);
  }
  return step;
}

Step through_transpose(const Node& node, std::size_t axis) {
  const Attribute* perm = node.find("perm");
  const auto* axes = perm ? std::get_if<std::vector<std::int64_t>>(perm) : nullptr;
  return axes ? goes_on(node.input(0), static_cast<std::size_t>(axes->at(axis))) : Step();
}

// An axis that has the same size and as many elements before it is the same axis.
Step through_reshape(const Node& node, std::size_t axis) {
  const Shape& from = node.input(0).shape();
  const Shape& to = node.output().shape();
  const auto elements_before = [](const Shape& shape, std::size_t end) {
    return numel(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(end)));
  };
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] == to[axis] && elements_before(from, i) == elements_before(to, axis))
      return goes_on(node.input(0), i);
  return {Step::kIsMadeHere};
}

Step through_expand(const Node& node, std::size_t axis) {
  const std::size_t lead = node.output().rank() - node.input(0).rank();
  const bool is_older = axis >= lead && node.input(0).shape()[axis - lead] != Dim(1);
  return is_older ? goes_on(node.input(0), axis - lead) : Step{Step::kIsMadeHere};
}

Step through_gather(const Node& node, std::size_t axis) {
  const Attribute* attribute = node.find("axis");
  const auto* given = attribute ? std::get_if<std::int64_t>(attribute) : nullptr;
  const std::size_t chosen = axis_index(given ? *given : 0, node.input(0).rank());
  const std::size_t count = node.input(1).rank();
  if (axis < chosen) return goes_on(node.input(0), axis);
  if (axis < chosen + count) return goes_on(node.input(1), axis - chosen);
  return goes_on(node.input(0), axis + 1 - count);
}

Step through_mat_mul(const Node& node, std::size_t axis) {
  const Value a = node.input(0);
  const Value b = node.input(1);
  if (a.rank() < 2 || b.rank() < 2) return {};
  const std::size_t rank = node.output().rank();
  if (axis + 1 == rank) return goes_on(b, b.rank() - 1);
  return axis + 2 == rank ? goes_on(a, a.rank() - 2) : Step();
}

Step back(const Node& node, std::size_t axis) {
  const std::string_view op = node.op();
  const Value input = node.input(0);
  if (op == "Range" || op == "ConstantOfShape") return {Step::kIsMadeHere};
  if (op == "Transpose") return through_transpose(node, axis);
  if (op == "Reshape" || op == "Unsqueeze" || op == "Squeeze") return through_reshape(node, axis);
  if (op == "Expand") return through_expand(node, axis);
  if (op == "Gather") return through_gather(node, axis);
  if (op == "MatMul") return through_mat_mul(node, axis);
  const bool joins = op == "Concat" || op == "Conv" || op == "ConvTranspose" || op == "Gemm" ||
                     op == "Slice" || op == "Pad" || op == "Tile" || op == "Split";
  // Of what is left, most give results of their inputs' shape.
  return joins || !input ? Step() : through_broadcast(node, axis);
}

}  // namespace

std::string maker_of_size(const Value& value, std::size_t axis) {
  Axis at{value, axis};
  while (true) {
    if (at.value.constant()) return at.value.name();
    const std::optional<Node> node = at.value.producer();
    if (!node || at.value != node->output()) return "";
    const Step step = back(*node, at.at);
    if (step.kind == Step::kIsMadeHere) return node->name();
    if (step.kind == Step::kIsLost) return "";
    at = step.next;
  }
}

}  // namespace voxport
