#include <algorithm>

#include "graph/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/size_range.h"

namespace voxport {
namespace {

bool is_list_of_sizes(const Node& concat) {
  const Type& type = concat.output().type();
  return concat.domain().empty() && type.dtype == DType::kInt64 && type.shape &&
         type.shape->size() == 1;
}

// Whether the sizes of `range.x` from `range.end` on are `numbers`.
bool continues(const SizeRange& range, const std::vector<std::int64_t>& numbers) {
  const Shape& shape = range.x.shape();
  if (numbers.size() > shape.size() - range.end) return false;
  return std::equal(numbers.begin(), numbers.end(),
                    shape.begin() + static_cast<std::ptrdiff_t>(range.end),
                    [](std::int64_t number, const Dim& size) { return size == Dim(number); });
}

// Makes the range longer by a part that has the sizes after it; false where it has others.
bool extend(SizeRange& range, const Value& part) {
  if (const auto next = range_read(part)) {
    if (next->x != range.x || next->start != range.end) return false;
    range.end = next->end;
    return true;
  }
  const auto numbers = numbers_of(part);
  if (!numbers || !continues(range, *numbers)) return false;
  range.end += numbers->size();
  return true;
}

// Parts [first, last) of a Concat that are the sizes of axes in a row.
struct Run {
  std::size_t first, last;
  SizeRange range;
};

// The longest run that starts with the part, which reads a range, and ends with one that does.
std::optional<Run> run_from(std::span<const Value> parts, std::size_t first) {
  auto range = range_read(parts[first]);
  if (!range) return std::nullopt;
  Run run{first, first + 1, *range};
  for (std::size_t i = first + 1; i < parts.size() && extend(*range, parts[i]); ++i)
    if (range_read(parts[i])) run = {first, i + 1, *range};
  return run.last - first > 1 ? std::optional(run) : std::nullopt;
}

// All parts as the sizes of axes in a row, numbers before and after those that are read included.
std::optional<SizeRange> range_of_all(std::span<const Value> parts) {
  const auto read =
      std::ranges::find_if(parts, [](const Value& part) { return range_read(part).has_value(); });
  if (read == parts.end()) return std::nullopt;
  SizeRange range = *range_read(*read);
  std::size_t before = 0;
  for (auto part = parts.begin(); part != read; ++part) {
    const auto numbers = numbers_of(*part);
    if (!numbers) return std::nullopt;
    before += numbers->size();
  }
  if (before > range.start) return std::nullopt;
  range.end = range.start -= before;
  for (const Value& part : parts)
    if (!extend(range, part)) return std::nullopt;
  return range;
}

// Whether one node that reads the run makes others superfluous, or is there already.
bool is_worth_it(const Run& run, std::span<const Value> parts, const KnownRanges& known,
                 const Graph& graph) {
  if (known.find(run.range)) return true;
  for (std::size_t i = run.first; i < run.last; ++i)
    if (range_read(parts[i]) && graph.count_uses(parts[i]) == 1) return true;
  return false;
}

// The parts, with runs of them joined.
std::vector<Value> joined_parts(std::span<const Value> parts, const KnownRanges& known,
                                const Graph& graph) {
  std::vector<Value> joined;
  for (std::size_t i = 0; i < parts.size();) {
    const auto run = run_from(parts, i);
    const bool is_joined = run && is_worth_it(*run, parts, known, graph);
    joined.push_back(is_joined ? read_range(run->range) : parts[i]);
    i = is_joined ? run->last : i + 1;
  }
  return joined;
}

}  // namespace

// Concat(Shape(x) start=0 end=1, Shape(x) start=1 end=2, y) -> Concat(Shape(x) start=0 end=2, y)
// where that makes a Shape superfluous, and just the Shape where there is nothing else. Numbers
// between are those that x has there.
bool join_sizes(Graph& graph) {
  const KnownRanges known(graph);
  return rewrite_each(graph, "Concat", [&](const Node& concat) -> std::optional<Value> {
    if (!is_list_of_sizes(concat)) return std::nullopt;
    if (const auto all = range_of_all(concat.inputs())) return read_range(*all);
    std::vector<Value> parts = joined_parts(concat.inputs(), known, graph);
    if (parts.size() == concat.inputs().size()) return std::nullopt;
    return voxport::concat(std::move(parts), 0);
  });
}

}  // namespace voxport
