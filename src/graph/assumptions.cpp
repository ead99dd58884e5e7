#include "graph/assumptions.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "graph/shape.h"

namespace voxport {
namespace {

// The numbers of a list, as far as they are known: of a constant, or of sizes.
std::optional<std::vector<Dim>> numbers_of(const Value& list) {
  if (const Tensor* constant = list.constant()) {
    const std::vector<std::int64_t> numbers = int64_values(*constant);
    return std::vector<Dim>(numbers.begin(), numbers.end());
  }
  return list.type().elements;
}

// Whether an expression of one symbol is nowhere negative where it was tried: up to a few steps
// each, and beyond that at longer and longer ones. For expressions whose bounds nobody sees.
bool is_positive_where_tried(const Dim& dim) {
  const auto is_positive_at = [&](std::int64_t size) {
    return dim.evaluate([&](std::string_view) { return std::optional(size); }).value_or(-1) >= 0;
  };
  constexpr std::int64_t kSmall = 300;
  constexpr std::int64_t kLarge = 1 << 20;
  if (dim.symbols().size() != 1) return false;
  for (std::int64_t size = 0; size < kSmall; ++size)
    if (!is_positive_at(size)) return false;
  for (std::int64_t size = kSmall; size < kLarge; size += size / 16)
    if (!is_positive_at(size)) return false;
  return true;
}

bool is_at_least(const Dim& a, const Dim& b) {
  return max(a, b) == a || is_positive_where_tried(a - b);
}

// Whether the start or end of a Slice lies within an axis of the size, or stands for its end.
bool is_within(const Dim& index, const Dim& size) {
  const std::optional<std::int64_t> number = index.constant();
  if (number && *number >= INT32_MAX) return true;
  if (number && *number < 0) return is_at_least(size + index, 0);
  return is_at_least(index, 0) && is_at_least(size, index);
}

}  // namespace

bool assumes_sizes(const Node& node) {
  if (node.op() != "Slice" || !node.domain().empty()) return false;
  const Value data = node.input(0);
  const auto starts = numbers_of(node.input(1));
  const auto ends = numbers_of(node.input(2));
  if (!data.type().shape || !starts || !ends) return false;  // the sizes have names of their own
  std::optional<std::vector<Dim>> axes;
  if (node.inputs().size() > 3 && node.input(3)) axes = numbers_of(node.input(3));
  for (std::size_t i = 0; i < std::min(starts->size(), ends->size()); ++i) {
    const std::optional<std::int64_t> axis =
        axes && i < axes->size() ? (*axes)[i].constant() : static_cast<std::int64_t>(i);
    if (!axis) return true;
    const Dim& size = data.shape()[axis_index(*axis, data.rank())];
    if (size.is_constant()) continue;
    const bool is_number_as_end =
        (*ends)[i].constant().value_or(-1) >= 0;  // which is held to the size
    if (!is_within((*starts)[i], size) || (!is_number_as_end && !is_within((*ends)[i], size)))
      return true;
  }
  return false;
}

bool assumes_sizes(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) { return assumes_sizes(node); });
}

}  // namespace voxport
