#include <algorithm>
#include <map>

#include "graph/builder.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

// A Slice of the elements [start, end) of one axis, which has a size that is a number.
struct AxisPart {
  Node slice;
  std::size_t axis;
  std::int64_t start, end, size;
};

std::int64_t place_on(std::int64_t index, std::int64_t size) {
  return std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size);
}

// The one element of an input that is a list of one number.
std::optional<std::int64_t> only_number(const Value& list) {
  const auto numbers = numbers_of(list);
  return numbers && numbers->size() == 1 ? std::optional((*numbers)[0]) : std::nullopt;
}

std::optional<AxisPart> axis_part(const Node& node) {
  const bool is_slice = node.op() == "Slice" && node.domain().empty();
  if (!is_slice || !node.input(0).type().shape) return std::nullopt;
  const auto start = only_number(node.input(1));
  const auto end = only_number(node.input(2));
  const auto axis = only_number(node.input(3));
  const auto step = node.input(4) ? only_number(node.input(4)) : std::optional<std::int64_t>(1);
  if (!start || !end || !axis || step != 1) return std::nullopt;
  const std::size_t at = axis_index(*axis, node.input(0).rank());
  const auto size = node.input(0).shape()[at].constant();
  if (!size) return std::nullopt;
  return AxisPart{node, at, place_on(*start, *size), place_on(*end, *size), *size};
}

// Whether the parts, in order, are the whole axis, each element once.
bool are_whole(const std::vector<AxisPart>& parts) {
  std::int64_t next = 0;
  for (const AxisPart& part : parts) {
    if (part.start != next || part.end <= part.start) return false;
    next = part.end;
  }
  return parts.size() > 1 && next == parts[0].size;
}

void split(const std::vector<AxisPart>& parts, Graph& graph) {
  Builder g(graph);
  std::vector<std::int64_t> sizes;
  sizes.reserve(parts.size());
  for (const AxisPart& part : parts) sizes.push_back(part.end - part.start);
  const std::vector<Value> outputs =
      g.nodes("Split", {parts[0].slice.input(0), g.int64s(sizes)},
              {{"axis", static_cast<std::int64_t>(parts[0].axis)}}, parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) graph.replace(parts[i].slice.output(), outputs[i]);
}

}  // namespace

// Slice(x, 0, 8), Slice(x, 8, 16) -> Split(x, [8, 8]), where the Slices are all of an axis.
bool join_slices(Graph& graph) {
  std::map<std::pair<std::string, std::size_t>, std::vector<AxisPart>> found;
  for (const Node& node : graph.nodes()) {
    const auto part = graph.count_uses(node.outputs()[0]) > 0 ? axis_part(node) : std::nullopt;
    if (part) found[{node.input(0).name(), part->axis}].push_back(*part);
  }
  bool changed = false;
  for (auto& [x_and_axis, parts] : found) {
    std::ranges::sort(parts, {}, &AxisPart::start);
    if (!are_whole(parts)) continue;
    split(parts, graph);
    changed = true;
  }
  return changed;
}

}  // namespace voxport
