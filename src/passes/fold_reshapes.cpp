#include <algorithm>
#include <span>

#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/size_range.h"

namespace voxport {
namespace {

// The axes of `longer`, all of size 1, without which it is `shorter`. The first of several that
// might be meant are kept.
std::optional<std::vector<std::int64_t>> superfluous_axes(const Shape& longer,
                                                          const Shape& shorter) {
  std::vector<std::int64_t> axes;
  std::size_t next = 0;
  for (std::size_t i = 0; i < longer.size(); ++i) {
    const bool is_kept = next < shorter.size() && longer[i] == shorter[next];
    if (is_kept) ++next;
    if (!is_kept && longer[i] != Dim(1)) return std::nullopt;
    if (!is_kept) axes.push_back(static_cast<std::int64_t>(i));
  }
  return next == shorter.size() ? std::optional(axes) : std::nullopt;
}

// Reshape(x, shape) -> Squeeze(x, axes) or Unsqueeze(x, axes)
std::optional<Value> without_shape(const Node& reshape) {
  const Value x = reshape.input(0);
  const Value y = reshape.output();
  if (const auto dropped = superfluous_axes(x.shape(), y.shape())) return squeeze(x, *dropped);
  if (const auto added = superfluous_axes(y.shape(), x.shape())) return unsqueeze(x, *added);
  return std::nullopt;
}

// The shape that a Reshape is given: each size, and which element of which part of a Concat it is.
struct ShapeElement {
  Dim size;
  Value part;
  std::size_t at;
};
using ShapeElements = std::vector<ShapeElement>;

// Nothing where the shape is not put together, or of parts that cannot be taken apart.
std::optional<ShapeElements> elements_of(const Value& shape) {
  const auto concat = producer(shape, "Concat");
  if (!concat) return std::nullopt;
  ShapeElements elements;
  for (const Value& part : concat->inputs()) {
    const auto& sizes = part.type().elements;
    if (!sizes || (sizes->size() > 1 && !numbers_of(part) && !range_read(part)))
      return std::nullopt;
    for (std::size_t i = 0; i < sizes->size(); ++i) elements.push_back({(*sizes)[i], part, i});
  }
  return elements;
}

bool is_number(const ShapeElement& element) { return element.size.is_constant(); }

// 0 in place of the sizes that x has on the same axes. Returns whether there is any.
bool copy_sizes(ShapeElements& elements, const Value& x) {
  bool has_any = false;
  for (std::size_t i = 0; i < std::min(elements.size(), x.rank()); ++i) {
    if (is_number(elements[i]) || elements[i].size != x.shape()[i]) continue;
    elements[i].size = 0;
    has_any = true;
  }
  return has_any;
}

// -1 in place of the one size that is not a number. Not beside another, nor where an axis is
// copied: that may be empty, and then nothing tells what is left over.
bool leave_one_over(ShapeElements& elements) {
  ShapeElement* found = nullptr;
  for (ShapeElement& element : elements) {
    if (element.size == Dim(0) || element.size == Dim(-1)) return false;
    if (is_number(element)) continue;
    if (found) return false;
    found = &element;
  }
  if (!found) return false;
  found->size = -1;
  return true;
}

// The longest run of elements from the i-th on that are numbers, or in a row in one part.
std::size_t end_of_run(const ShapeElements& elements, std::size_t i) {
  const bool has_numbers = is_number(elements[i]);
  std::size_t end = i + 1;
  while (end < elements.size() && is_number(elements[end]) == has_numbers &&
         (has_numbers ||
          (elements[end].part == elements[i].part && elements[end].at == elements[end - 1].at + 1)))
    ++end;
  return end;
}

Value part_from(std::span<const ShapeElement> run, Graph& graph) {
  if (is_number(run[0])) {
    std::vector<std::int64_t> numbers;
    for (const ShapeElement& element : run) numbers.push_back(*element.size.constant());
    return Builder(graph).int64s(numbers);
  }
  if (run.size() == run[0].part.type().elements->size()) return run[0].part;
  const SizeRange range = *range_read(run[0].part);
  return read_range({range.x, range.start + run[0].at, range.start + run.back().at + 1});
}

Value shape_from(const ShapeElements& elements, Graph& graph) {
  std::vector<Value> parts;
  for (std::size_t i = 0; i < elements.size();) {
    const std::size_t end = end_of_run(elements, i);
    parts.push_back(part_from(std::span(elements).subspan(i, end - i), graph));
    i = end;
  }
  return parts.size() == 1 ? parts[0] : concat(std::move(parts), 0);
}

// Reshape(x, Concat(sizes)) by a shape of fewer sizes.
std::optional<Value> with_fewer_sizes(const Node& reshape, Graph& graph) {
  const Value x = reshape.input(0);
  auto elements = elements_of(reshape.input(1));
  if (!elements || integer_of(reshape, "allowzero", 0) != 0) return std::nullopt;
  const bool is_shared = graph.count_uses(reshape.input(1)) > 1;
  const bool has_copied = copy_sizes(*elements, x);
  const bool has_changed = leave_one_over(*elements) || has_copied;
  const bool is_constant = std::ranges::all_of(*elements, is_number);
  if (!has_changed || (is_shared && !is_constant)) return std::nullopt;
  return voxport::reshape(x, shape_from(*elements, graph));
}

}  // namespace

// Reshape(x, shape) -> Squeeze(x, axes) or Unsqueeze(x, axes), where only axes of size 1 come or
// go and the shape is computed.
// Reshape(x, [size, 3, 4]) -> Reshape(x, [0, 3, 4]), where x has the size on the same axis, or
// Reshape(x, [-1, 3, 4]), where all others are numbers.
bool fold_reshapes(Graph& graph) {
  return rewrite_each(graph, "Reshape", [&](const Node& reshape) -> std::optional<Value> {
    const bool is_known = reshape.input(0).type().shape && reshape.output().type().shape;
    if (!reshape.domain().empty() || !is_known || numbers_of(reshape.input(1))) return std::nullopt;
    std::optional<Value> better = without_shape(reshape);
    if (!better) better = with_fewer_sizes(reshape, graph);
    return better && keeps_sizes(reshape.output(), *better) ? better : std::nullopt;
  });
}

}  // namespace voxport
