#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

// The input of a Min whose other input is `limit`; nothing of any other value.
std::optional<Value> clamped(const Value& value, std::int64_t limit) {
  const auto min = producer(value, "Min");
  if (!min || min->inputs().size() != 2) return std::nullopt;
  for (const std::size_t i : {0U, 1U}) {
    const auto numbers = numbers_of(min->inputs()[1 - i]);
    const bool is_other = numbers && numbers->size() == 1 && numbers->front() == limit;
    if (is_other && min->inputs()[i].type().shape == value.type().shape) return min->inputs()[i];
  }
  return std::nullopt;
}

// The end of a Slice without the Min that it comes from, which may stand before an Unsqueeze.
std::optional<Value> end_without_min(const Value& end, std::int64_t limit) {
  const auto unsqueeze = producer(end, "Unsqueeze");
  const auto inner = clamped(unsqueeze ? unsqueeze->input(0) : end, limit);
  return inner && unsqueeze ? std::optional(voxport::unsqueeze(*inner, {0})) : inner;
}

bool drop_clamp_of(const Node& slice, Graph& graph) {
  const Value x = slice.input(0);
  const auto axes = numbers_of(slice.input(3));
  if (!slice.domain().empty() || !x.type().shape || !axes || axes->size() != 1) return false;
  const auto size = x.dim(axes->front()).constant();
  const auto end = size ? end_without_min(slice.input(2), *size) : std::nullopt;
  if (!end) return false;
  graph.replace_input(slice, slice.input(2), *end);
  return true;
}

}  // namespace

// Slice(x, start, Min(end, size)) -> Slice(x, start, end), where x has that size: a Slice ends
// where x does.
bool drop_clamps(Graph& graph) {
  bool changed = false;
  for (const Node& node : graph.nodes())
    if (node.op() == "Slice") changed |= drop_clamp_of(node, graph);
  return changed;
}

}  // namespace voxport
