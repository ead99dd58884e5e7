#include <algorithm>

#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

// Where each axis of a result comes from: an axis of the source, or, with kNewAxis, an Unsqueeze.
using AxisSources = std::vector<std::size_t>;
constexpr std::size_t kNewAxis = SIZE_MAX;

AxisSources transposed_axes(const Node& transpose) {
  AxisSources sources;
  if (const Attribute* perm = transpose.find("perm")) {
    const auto& axes = std::get<std::vector<std::int64_t>>(*perm);
    sources.assign(axes.begin(), axes.end());
  } else {
    for (std::size_t i = transpose.output().rank(); i-- > 0;) sources.push_back(i);
  }
  return sources;
}

// Which axes of `rank` are named; nothing where the axes are not known.
std::optional<std::vector<bool>> named_axes(const Node& node, std::size_t rank) {
  const auto axes = numbers_of(node.input(1));
  if (!axes) return std::nullopt;
  std::vector<bool> named(rank, false);
  for (const std::int64_t axis : *axes) named[axis_index(axis, rank)] = true;
  return named;
}

std::optional<AxisSources> squeezed_axes(const Node& squeeze) {
  const auto drops = named_axes(squeeze, squeeze.input(0).rank());
  if (!drops) return std::nullopt;
  AxisSources sources;
  for (std::size_t i = 0; i < drops->size(); ++i) {
    if (!(*drops)[i])
      sources.push_back(i);
    else if (squeeze.input(0).shape()[i] != Dim(1))
      return std::nullopt;  // may fail
  }
  return sources;
}

std::optional<AxisSources> unsqueezed_axes(const Node& unsqueeze) {
  const auto is_new = named_axes(unsqueeze, unsqueeze.output().rank());
  if (!is_new) return std::nullopt;
  AxisSources sources;
  std::size_t next = 0;
  for (const bool is_this_new : *is_new) sources.push_back(is_this_new ? kNewAxis : next++);
  return sources;
}

// What a node does to axes; nothing where it does anything else.
std::optional<AxisSources> axis_sources(const Node& node) {
  if (!node.domain().empty() || !node.input(0) || !node.input(0).type().shape) return std::nullopt;
  if (node.op() == "Transpose") return transposed_axes(node);
  if (node.op() == "Squeeze") return squeezed_axes(node);
  if (node.op() == "Unsqueeze") return unsqueezed_axes(node);
  return std::nullopt;
}

AxisSources composed(const AxisSources& outer, const AxisSources& inner) {
  AxisSources both;
  for (const std::size_t axis : outer) both.push_back(axis == kNewAxis ? kNewAxis : inner[axis]);
  return both;
}

// Nodes that do one thing to axes after the other.
struct AxisChain {
  Value x;
  AxisSources sources;
  std::size_t length;
};

// The longest chain that ends in the node; nothing where it is no chain.
std::optional<AxisChain> chain_to(const Node& last) {
  std::optional<AxisSources> sources = axis_sources(last);
  if (!sources) return std::nullopt;
  AxisChain chain{last.input(0), *sources, 1};
  for (auto node = chain.x.producer(); node; node = chain.x.producer()) {
    sources = axis_sources(*node);
    if (!sources) break;
    chain = {node->input(0), composed(chain.sources, *sources), chain.length + 1};
  }
  return chain;
}

// Axes of the source that the chain drops, or axes of the result that are new.
std::vector<std::int64_t> dropped_axes(const AxisChain& chain) {
  std::vector<std::int64_t> dropped;
  for (std::size_t i = 0; i < chain.x.rank(); ++i)
    if (std::ranges::find(chain.sources, i) == chain.sources.end())
      dropped.push_back(static_cast<std::int64_t>(i));
  return dropped;
}

std::vector<std::int64_t> new_axes(const AxisChain& chain) {
  std::vector<std::int64_t> added;
  for (std::size_t i = 0; i < chain.sources.size(); ++i)
    if (chain.sources[i] == kNewAxis) added.push_back(static_cast<std::int64_t>(i));
  return added;
}

// The chain as one node or none; nothing where it takes more.
std::optional<Value> in_one_node(const AxisChain& chain) {
  const std::vector<std::int64_t> dropped = dropped_axes(chain);
  const std::vector<std::int64_t> added = new_axes(chain);
  AxisSources kept = chain.sources;
  std::erase(kept, kNewAxis);
  const bool is_in_order = std::ranges::is_sorted(kept);
  if (!is_in_order && dropped.empty() && added.empty())
    return transpose(chain.x, {kept.begin(), kept.end()});
  if (!is_in_order || (!dropped.empty() && !added.empty() && dropped != added)) return std::nullopt;
  if (dropped == added) return chain.x;
  return added.empty() ? squeeze(chain.x, dropped) : unsqueeze(chain.x, added);
}

}  // namespace

// Squeeze(Transpose(Unsqueeze(x))) -> Transpose(x), and whatever else of these operators, one after
// the other, is one of them or nothing: Transpose(Transpose(x, p), q) -> Transpose(x, p[q]),
// Squeeze(Unsqueeze(x, a), a) -> x, Unsqueeze(Squeeze(x, a), a) -> x.
bool fold_axis_chains(Graph& graph) {
  return rewrite_each(graph, "", [](const Node& last) -> std::optional<Value> {
    const std::optional<AxisChain> chain = chain_to(last);
    if (!chain || chain->length == 1) return std::nullopt;
    const std::optional<Value> folded = in_one_node(*chain);
    return folded && keeps_sizes(last.output(), *folded) ? folded : std::nullopt;
  });
}

}  // namespace voxport
