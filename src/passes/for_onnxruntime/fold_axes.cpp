#include <algorithm>
#include <set>

#include "base/tensor.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/time_convolution.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

// The axes of a Squeeze or Unsqueeze, counted from 0; nothing where they are computed.
std::optional<std::set<std::int64_t>> axes_of(const Node& node, std::size_t rank) {
  const Tensor* constant = node.input(1) ? node.input(1).constant() : nullptr;
  if (!constant) return std::nullopt;
  std::set<std::int64_t> axes;
  for (const std::int64_t axis : int64_values(*constant))
    axes.insert(static_cast<std::int64_t>(axis_index(axis, rank)));
  return axes;
}

// `outer`, and `inner` counted in the axes that outer leaves.
Ints joined(const std::set<std::int64_t>& outer, const std::set<std::int64_t>& inner,
            std::size_t rank) {
  std::set<std::int64_t> all = outer;
  std::int64_t left = 0;  // axes before this one that are not of outer
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(rank); ++axis)
    if (!outer.contains(axis) && inner.contains(left++)) all.insert(axis);
  return {all.begin(), all.end()};
}

std::optional<Value> unsqueezed_once(const Node& outer) {
  const std::optional<Node> inner = producer(outer.input(0), "Unsqueeze");
  if (!inner) return std::nullopt;
  const std::size_t rank = outer.output().rank();
  const auto second = axes_of(outer, rank);
  const auto first = axes_of(*inner, inner->output().rank());
  if (!first || !second) return std::nullopt;
  return unsqueeze(inner->input(0), joined(*second, *first, rank));
}

std::optional<Value> squeezed_once(const Node& outer) {
  const std::optional<Node> inner = producer(outer.input(0), "Squeeze");
  if (!inner) return std::nullopt;
  const std::size_t rank = inner->input(0).rank();
  const auto second = axes_of(outer, outer.input(0).rank());
  const auto first = axes_of(*inner, rank);
  if (!first || !second) return std::nullopt;
  return squeeze(inner->input(0), joined(*first, *second, rank));
}

// A Slice of the last axis, which has no use for those that are taken off and put on again.
std::optional<Value> sliced_with_axes(const Node& outer) {
  const std::optional<Node> slice = producer(outer.input(0), "Slice");
  const std::optional<Node> inner = slice ? producer(slice->input(0), "Squeeze") : std::nullopt;
  if (!inner || outer.output().rank() != inner->input(0).rank()) return std::nullopt;
  const auto on = axes_of(outer, outer.output().rank());
  const auto last = static_cast<std::int64_t>(outer.output().rank()) - 1;
  const Tensor* along = slice->input(3) ? slice->input(3).constant() : nullptr;
  const bool is_last = along && int64_values(*along) == Ints{-1} && on && !on->contains(last);
  if (!is_last || axes_of(*inner, inner->input(0).rank()) != on) return std::nullopt;
  std::vector<Value> inputs(slice->inputs().begin(), slice->inputs().end());
  inputs[0] = inner->input(0);
  return Builder(outer.output().graph()).node("Slice", std::move(inputs));
}

}  // namespace

// Unsqueeze(Unsqueeze(x, {1}), {1}) -> Unsqueeze(x, {1, 2}), and the same of Squeeze: rows are
// often put on, or taken off, where the network did so with other axes.
// Unsqueeze(Slice(Squeeze(x, {2}), ..., {-1}), {2}) -> Slice(x, ..., {-1}): the end of a sequence
// that is a state of a stream.
bool fold_axes(Graph& graph) {
  const auto in_module = [&](auto fold) {
    return [&graph, fold](const Node& node) {
      const Graph::Scope scope(graph, module_of(node));
      return fold(node);
    };
  };
  bool changed = rewrite_each(graph, "Unsqueeze", in_module(unsqueezed_once));
  changed |= rewrite_each(graph, "Unsqueeze", in_module(sliced_with_axes));
  return rewrite_each(graph, "Squeeze", in_module(squeezed_once)) || changed;
}

}  // namespace voxport
