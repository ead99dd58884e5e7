#include "passes/for_onnxruntime/row_ends.h"

#include <algorithm>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/for_onnxruntime/row_carriers.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

// The shape that a Reshape is given as numbers.
std::optional<Ints> target_of(const Node& node) {
  const Tensor* target =
      node.op() == "Reshape" && node.input(1) ? node.input(1).constant() : nullptr;
  const bool keeps_zeros = target && integer_of(node, "allowzero", 0) != 0;
  return target && !keeps_zeros ? std::optional(int64_values(*target)) : std::nullopt;
}

// The target of a Reshape of three axes whose input has another one before `axis`. Sizes that are
// taken from the input must still be found there.
std::optional<Ints> target_after_row(const Node& node, std::int64_t axis) {
  std::optional<Ints> target = target_of(node);
  if (!target || !has_rank(node.input(0), kSequenceRank)) return std::nullopt;
  for (std::size_t i = static_cast<std::size_t>(axis); i < target->size(); ++i) {
    if ((*target)[i] != 0) continue;
    if (std::ranges::find(*target, -1) != target->end()) return std::nullopt;
    (*target)[i] = -1;
  }
  return target;
}

// The axis before which a Reshape to three axes can make another one: the one that it computes.
std::optional<std::int64_t> axis_of_reshape(const Node& node) {
  const std::optional<Ints> target = target_of(node);
  if (!target || target->size() != kSequenceRank) return std::nullopt;
  const auto computed = std::ranges::find(*target, -1);
  const bool is_kept = std::find(computed, target->end(), 0) != target->end();
  if (computed == target->end() || computed == target->begin() || is_kept) return std::nullopt;
  return computed - target->begin();
}

// The axis of a Squeeze or Unsqueeze that takes or makes one.
std::optional<std::int64_t> only_axis(const Node& node, std::size_t rank) {
  const Tensor* axes = node.input(1) ? node.input(1).constant() : nullptr;
  if (!axes || axes->numel() != 1) return std::nullopt;
  return static_cast<std::int64_t>(axis_index(int64_values(*axes)[0], rank));
}

// The axes that a Squeeze of three axes takes off its input when that has another one at `axis`,
// and that one.
std::optional<Ints> squeezed_after_row(const Node& node, std::int64_t axis) {
  const Tensor* given =
      node.op() == "Squeeze" && node.input(1) ? node.input(1).constant() : nullptr;
  if (!given || !has_rank(node.input(0), kSequenceRank)) return std::nullopt;
  Ints axes = {axis};
  for (const std::int64_t taken : int64_values(*given)) {
    const auto place = static_cast<std::int64_t>(axis_index(taken, kSequenceRank));
    axes.push_back(place < axis ? place : place + 1);
  }
  std::ranges::sort(axes);
  return axes;
}

// The parts of a computed shape of three sizes, one each.
std::optional<std::vector<Value>> sizes_of_fill(const Value& value) {
  const std::optional<Node> fill = producer(value, "ConstantOfShape");
  const std::optional<Node> shape = fill ? producer(fill->input(0), "Concat") : std::nullopt;
  if (!shape || !fill->find("value") || shape->inputs().size() != kSequenceRank)
    return std::nullopt;
  const bool is_apart = std::ranges::all_of(shape->inputs(), [](const Value& part) {
    return has_rank(part, 1) && part.dim(0) == Dim(1);
  });
  if (!is_apart) return std::nullopt;
  return std::vector<Value>(shape->inputs().begin(), shape->inputs().end());
}

}  // namespace

Ints with_one(const Ints& shape, std::int64_t place) {
  Ints made;
  for (const std::int64_t size : shape) {
    if (static_cast<std::int64_t>(made.size()) == place) made.push_back(1);
    made.push_back(size);
  }
  return made;
}

bool is_fill(const Value& value) { return sizes_of_fill(value).has_value(); }

std::optional<std::int64_t> axis_that_can_be_made(const Value& value) {
  const std::optional<Node> node = value.producer();
  if (!node || !has_rank(value, kSequenceRank)) return std::nullopt;
  if (node->op() == "Squeeze" && has_rank(node->input(0), kSequenceRank + 1))
    return only_axis(*node, kSequenceRank + 1);
  return axis_of_reshape(*node);
}

Value with_axis(const Value& value, std::int64_t place) {
  if (const Tensor* constant = value.constant())
    return value.graph().add_constant("constant",
                                      reshaped(*constant, with_one(constant->shape, place)));
  if (std::optional<std::vector<Value>> sizes = sizes_of_fill(value)) {
    sizes->insert(sizes->begin() + place, int64s(value, {1}));
    const Tensor fill = std::get<Tensor>(*value.producer()->find("value"));
    return Builder(value.graph())
        .node("ConstantOfShape", {concat(*std::move(sizes), 0)}, {{"value", fill}});
  }
  if (axis_that_can_be_made(value) != place) return unsqueeze(value, {place});
  const Node node = *value.producer();
  return node.op() == "Squeeze" ? node.input(0)
                                : reshape(node.input(0), with_one(*target_of(node), place));
}

bool takes_axis(const Node& node, std::int64_t axis) {
  if (node.op() == "Unsqueeze" && has_rank(node.input(0), kSequenceRank))
    return only_axis(node, kSequenceRank + 1) == axis;
  return squeezed_after_row(node, axis) || target_after_row(node, axis);
}

Value taken(const Node& node, const Value& row, std::int64_t axis) {
  if (node.op() == "Unsqueeze") return row;
  if (const std::optional<Ints> axes = squeezed_after_row(node, axis)) return squeeze(row, *axes);
  return reshape(row, *target_after_row(node, axis));
}

}  // namespace voxport
