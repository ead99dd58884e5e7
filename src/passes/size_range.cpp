#include "passes/size_range.h"

#include <algorithm>

#include "base/text.h"
#include "graph/builder.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

std::string key_of(const SizeRange& range) {
  return cat(range.x.name(), ":", range.start, ":", range.end);
}

}  // namespace

std::optional<SizeRange> range_read(const Value& value) {
  const auto shape = producer(value, "Shape");
  if (!shape || !shape->input(0).type().shape) return std::nullopt;
  const Value x = shape->input(0);
  const auto rank = static_cast<std::int64_t>(x.rank());
  const auto bound = [&](std::int64_t at) {
    return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank);
  };
  const std::int64_t start = bound(integer_of(*shape, "start", 0));
  const std::int64_t end = std::max(start, bound(integer_of(*shape, "end", rank)));
  return SizeRange{x, static_cast<std::size_t>(start), static_cast<std::size_t>(end)};
}

Value read_range(const SizeRange& range) {
  Builder g(range.x.graph());
  if (range.start == 0 && range.end == range.x.rank()) return g.node("Shape", {range.x});
  return g.node("Shape", {range.x},
                {{"start", static_cast<std::int64_t>(range.start)},
                 {"end", static_cast<std::int64_t>(range.end)}});
}

KnownRanges::KnownRanges(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    const auto range = node.op() == "Shape" ? range_read(node.output()) : std::nullopt;
    if (range && graph.count_uses(node.output()) > 0)
      values_.emplace(key_of(*range), node.output());
  }
}

Value KnownRanges::find(const SizeRange& range) const {
  const auto found = values_.find(key_of(range));
  return found == values_.end() ? Value() : found->second;
}

}  // namespace voxport
