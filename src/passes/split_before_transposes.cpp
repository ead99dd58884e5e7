#include <algorithm>
#include <numeric>

#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

// For each size of `coarse`, how many sizes of `fine` in a row have it as their product; nothing
// where there is a size that does not come about so.
std::optional<std::vector<std::size_t>> split_counts(const Shape& coarse, const Shape& fine) {
  std::vector<std::size_t> counts;
  std::size_t next = 0;
  for (const Dim& size : coarse) {
    const std::size_t first = next;
    Dim product = 1;
    while (next < fine.size() && (next == first || product != size))
      product = product * fine[next++];
    if (product != size) return std::nullopt;
    counts.push_back(next - first);
  }
  return next == fine.size() ? std::optional(counts) : std::nullopt;
}

// A shape for a Reshape of x that is numbers and sizes that x has on the same axes, which are 0.
std::optional<std::vector<std::int64_t>> numbers_for(const Shape& shape, const Value& x) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto number = shape[i].constant();
    if (!number && (i >= x.rank() || x.shape()[i] != shape[i])) return std::nullopt;
    numbers.push_back(number.value_or(0));
  }
  return numbers;
}

// Axes that are split after a Transpose, seen from before it.
struct SplitAxes {
  Shape shape;                     // before the Transpose
  std::vector<std::int64_t> perm;  // of the axes that there are then
};

SplitAxes before_transpose(const std::vector<std::int64_t>& perm,
                           const std::vector<std::size_t>& counts, const Shape& fine) {
  std::vector<std::size_t> firsts(counts.size());  // in `fine`, of each axis after the Transpose
  std::exclusive_scan(counts.begin(), counts.end(), firsts.begin(), std::size_t{0});
  SplitAxes axes{{}, std::vector<std::int64_t>(fine.size())};
  for (std::size_t axis = 0; axis < perm.size(); ++axis) {
    const auto after = static_cast<std::size_t>(
        std::ranges::find(perm, static_cast<std::int64_t>(axis)) - perm.begin());
    for (std::size_t i = 0; i < counts[after]; ++i) {
      axes.perm[firsts[after] + i] = static_cast<std::int64_t>(axes.shape.size());
      axes.shape.push_back(fine[firsts[after] + i]);
    }
  }
  return axes;
}

std::optional<Value> split_before_transpose(const Node& reshape, const Graph& graph) {
  const auto transpose = producer(reshape.input(0), "Transpose");
  const auto inner = transpose ? producer(transpose->input(0), "Reshape") : std::nullopt;
  if (!inner || graph.count_uses(transpose->output()) > 1 || !inner->input(0).type().shape)
    return std::nullopt;
  const Attribute* perm = transpose->find("perm");
  const auto counts = split_counts(transpose->output().shape(), reshape.output().shape());
  if (!perm || !counts) return std::nullopt;
  const SplitAxes axes = before_transpose(std::get<std::vector<std::int64_t>>(*perm), *counts,
                                          reshape.output().shape());
  const auto numbers = numbers_for(axes.shape, inner->input(0));
  if (!numbers) return std::nullopt;
  return voxport::transpose(voxport::reshape(inner->input(0), *numbers), axes.perm);
}

}  // namespace

// Reshape(Transpose(Reshape(x, [t, 2*b, 8])), [b, 2, t, 8]) -> Transpose(Reshape(x, [t, b, 2, 8])),
// where the last Reshape only splits axes, and the new one needs no sizes but those that x has on
// the same axes.
bool split_before_transposes(Graph& graph) {
  return rewrite_each(graph, "Reshape", [&](const Node& reshape) -> std::optional<Value> {
    if (!reshape.domain().empty() || !reshape.input(0).type().shape ||
        !reshape.output().type().shape)
      return std::nullopt;
    const auto split = split_before_transpose(reshape, graph);
    return split && keeps_sizes(reshape.output(), *split) ? split : std::nullopt;
  });
}

}  // namespace voxport
