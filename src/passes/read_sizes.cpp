#include <algorithm>

#include "graph/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/size_range.h"

namespace voxport {
namespace {

// The part of `range` from its `first` element to its `last`, which count from the end when they
// are negative; nothing where there are no such elements.
std::optional<SizeRange> part_of(const SizeRange& range, std::int64_t first, std::int64_t last) {
  const auto count = static_cast<std::int64_t>(range.end - range.start);
  if (first < 0) first += count;
  if (last < 0) last += count;
  if (first < 0 || last >= count || first > last) return std::nullopt;
  return SizeRange{range.x, range.start + static_cast<std::size_t>(first),
                   range.start + static_cast<std::size_t>(last) + 1};
}

// Gather of one index, which is of rank 0 or 1, or of several in a row, all from the same end.
std::optional<SizeRange> gathered_range(const Node& gather) {
  const auto whole = range_read(gather.input(0));
  const auto indices = numbers_of(gather.input(1));
  if (!whole || !indices || indices->empty()) return std::nullopt;
  for (std::size_t i = 1; i < indices->size(); ++i)
    if ((*indices)[i] != (*indices)[i - 1] + 1 || (*indices)[i] == 0) return std::nullopt;
  return part_of(*whole, indices->front(), indices->back());
}

// A Slice whose start, end and step are numbers.
std::optional<SizeRange> sliced_range(const Node& slice) {
  const auto whole = range_read(slice.input(0));
  const auto start = numbers_of(slice.input(1));
  const auto end = numbers_of(slice.input(2));
  const auto step = slice.input(4) ? numbers_of(slice.input(4)) : std::vector<std::int64_t>{1};
  const bool is_known = whole && start && end && step && start->size() == 1 && end->size() == 1;
  if (!is_known || *step != std::vector<std::int64_t>{1}) return std::nullopt;
  const auto count = static_cast<std::int64_t>(whole->end - whole->start);
  const std::int64_t stop = std::min(end->front() < 0 ? end->front() + count : end->front(), count);
  return stop > 0 ? part_of(*whole, start->front(), stop - 1) : std::nullopt;
}

bool is_list(const Value& value) { return value.type().shape && value.rank() == 1; }

// The range of sizes, as a tensor of rank 1, that a node picks out of a Shape.
std::optional<SizeRange> picked_range(const Node& node) {
  if (!node.domain().empty() || !node.input(0)) return std::nullopt;
  if (node.op() == "Slice") return sliced_range(node);
  if (node.op() == "Gather" && is_list(node.output())) return gathered_range(node);
  const auto gather = node.op() == "Unsqueeze" ? producer(node.input(0), "Gather") : std::nullopt;
  return gather && is_list(node.output()) ? gathered_range(*gather) : std::nullopt;
}

// The size of one axis, of rank 0, that a Gather picks out of a Shape.
std::optional<SizeRange> picked_size(const Node& gather) {
  const Type& type = gather.output().type();
  return type.shape && type.shape->empty() ? gathered_range(gather) : std::nullopt;
}

}  // namespace

// Gather(Shape(x), [i]) -> Shape(x) start=i end=i+1, and so for an Unsqueeze of a Gather of rank 0,
// for several axes in a row, and for a Slice.
// Gather(Shape(x), i) -> Squeeze(Shape(x) start=i end=i+1), where that Shape is there already.
bool read_sizes(Graph& graph) {
  const bool has_ranges = rewrite_each(graph, "", [](const Node& node) -> std::optional<Value> {
    const auto range = picked_range(node);
    return range ? std::optional(read_range(*range)) : std::nullopt;
  });
  const KnownRanges known(graph);
  const bool has_sizes =
      rewrite_each(graph, "Gather", [&](const Node& gather) -> std::optional<Value> {
        const auto range = picked_size(gather);
        const Value found = range ? known.find(*range) : Value();
        return found ? std::optional(squeeze(found, {0})) : std::nullopt;
      });
  return has_ranges || has_sizes;
}

}  // namespace voxport
