#include <algorithm>
#include <set>

#include "base/tensor.h"
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

}  // namespace

// Unsqueeze(Unsqueeze(x, {1}), {1}) -> Unsqueeze(x, {1, 2}), and the same of Squeeze: rows are
// often put on, or taken off, where the network did so with other axes.
bool fold_axes(Graph& graph) {
  const auto in_module = [&](auto fold) {
    return [&graph, fold](const Node& node) {
      const Graph::Scope scope(graph, module_of(node));
      return fold(node);
    };
  };
  const bool changed = rewrite_each(graph, "Unsqueeze", in_module(unsqueezed_once));
  return rewrite_each(graph, "Squeeze", in_module(squeezed_once)) || changed;
}

}  // namespace voxport
