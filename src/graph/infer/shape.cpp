#include <algorithm>

#include "base/checked.h"
#include "graph/infer/families.h"

namespace voxport::infer_family {
namespace {

// Axes are an attribute in old operators and an input in new ones.
std::optional<std::vector<std::int64_t>> axes_of(const Application& a, std::size_t input) {
  if (a.has(input)) return a.numbers(input);
  return a.integers("axes");
}

Type shape_tensor(std::vector<Dim> elements) {
  Type type;
  type.dtype = DType::kInt64;
  type.shape = Shape{static_cast<std::int64_t>(elements.size())};
  if (elements.size() <= Type::kMaxElements) type.elements = std::move(elements);
  return type;
}

// The rank of a result whose shape is an input: the number of that input's elements.
std::size_t rank_from(const Application& a, std::size_t input) {
  const auto rank =
      a.shape(input).empty() ? std::optional<std::int64_t>(0) : a.shape(input)[0].constant();
  if (!rank) fail(Error::kUnsupported, a.op, ": the rank of the result is not known");
  constexpr std::int64_t kMaxRank = 64;
  if (*rank < 0 || *rank > kMaxRank) a.mismatch(cat("the result would have ", *rank, " axes"));
  return static_cast<std::size_t>(*rank);
}

Shape unknown_shape(const Application& a, std::size_t rank) {
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(a.unknown(0, i));
  return shape;
}

// start or end of a Slice on an axis of `size`, as ONNX clamps them. A symbol is assumed to be long
// enough for what is cut off at its end, and for what is an expression of symbols; but not for a
// number, which is often more than there is: x[:, :512].
Dim clamp_index(const Dim& index, const Dim& size) {
  const auto number = index.constant();
  if (number && *number < 0) return size.is_constant() ? max(size + index, Dim(0)) : size + index;
  if (number && *number >= INT32_MAX) return size;
  const bool are_symbols = !number && !size.is_constant();
  return are_symbols ? index : min(index, size);
}

// The steps of a Slice, one per axis. Nothing where one is known at run time only.
std::optional<std::vector<std::int64_t>> steps_of(const Application& a, std::size_t count) {
  if (!a.has(4)) return std::vector<std::int64_t>(count, 1);
  const auto known = a.elements(4);
  if (!known) return std::nullopt;
  if (known->size() != count) a.mismatch("there must be one step per axis");
  std::vector<std::int64_t> steps;
  for (const Dim& step : *known) {
    if (!step.constant()) return std::nullopt;
    steps.push_back(*step.constant());
  }
  return steps;
}

Dim sliced(const Application& a, const Dim& size, const Dim& start, const Dim& end,
           std::int64_t step, std::size_t axis) {
  if (step < 0) {
    // The one backwards slice that is common: all of it, reversed.
    const bool is_whole =
        step == -1 && start.constant().value_or(0) == -1 && end.constant().value_or(0) <= INT32_MIN;
    return is_whole ? size : a.unknown(0, axis);
  }
  if (start.constant().value_or(-1) >= 0 && end.constant().value_or(-1) >= 0 &&
      *end.constant() <= *start.constant())
    return 0;
  // What starts beyond the end is empty; a symbol is assumed not to be so short.
  const Dim from =
      size.is_constant() || start.constant().value_or(0) < 0 ? clamp_index(start, size) : start;
  const Dim length = clamp_index(end, size) - from;
  const Dim count = ceil_div(length, step);
  return count.is_constant() ? max(count, Dim(0)) : count;
}

// A slice of a list of sizes is a list of sizes: as many as `to` says, from `starts` on.
std::optional<std::vector<Dim>> sliced_elements(const Application& a,
                                                const std::optional<std::vector<Dim>>& starts,
                                                const std::vector<std::int64_t>& axes,
                                                const std::vector<std::int64_t>& steps,
                                                const Shape& to) {
  const auto elements = a.elements(0);
  const bool is_list = elements && to.size() == 1 && axes.size() == 1 && starts && !starts->empty();
  const auto first = is_list ? starts->front().constant() : std::nullopt;
  const auto count = is_list ? to[0].constant() : std::nullopt;
  if (!first || !count) return std::nullopt;
  const auto total = static_cast<std::int64_t>(elements->size());
  std::vector<Dim> sliced;
  std::int64_t at = *first < 0 ? std::max<std::int64_t>(*first + total, 0) : *first;
  for (std::int64_t i = 0; i < *count; ++i) {
    if (at < 0 || at >= total) return std::nullopt;  // the list is not what its type says
    sliced.push_back((*elements)[static_cast<std::size_t>(at)]);
    at = checked_add(at, steps[0]).value_or(-1);
  }
  return sliced;
}

}  // namespace

Types shape(const Application& a) {
  const Shape& shape = a.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto bound = [&](std::int64_t at) {
    return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank);
  };
  const std::int64_t start = bound(a.integer("start", 0));
  const std::int64_t end = std::max(start, bound(a.integer("end", rank)));
  return {shape_tensor({shape.begin() + start, shape.begin() + end})};
}

Types size(const Application& a) {
  Type type;
  type.dtype = DType::kInt64;
  type.shape = Shape{};
  type.elements = {numel(a.shape(0))};
  return {type};
}

// What is left over of `whole` for one axis beside the others. Sizes that both have need no
// division, which expressions may not allow.
Dim left_over(Shape whole, const Shape& others) {
  Dim divisor = 1;
  for (const Dim& dim : others) {
    const auto same = std::find(whole.begin(), whole.end(), dim);
    if (same == whole.end()) {
      divisor = divisor * dim;
    } else {
      whole.erase(same);
    }
  }
  return floor_div(numel(whole), divisor);
}

// 0 copies a size, -1 is what is left over.
Types reshape(const Application& a) {
  const Shape& from = a.shape(0);
  const auto target = a.elements(1);
  if (!target) return one(a.dtype(0), unknown_shape(a, rank_from(a, 1)));
  Shape to;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < target->size(); ++i) {
    const auto number = (*target)[i].constant();
    const bool copies = number == 0 && a.integer("allowzero", 0) == 0;
    if (copies && i >= from.size()) a.mismatch(cat("there is no axis ", i, " to copy"));
    if (number == -1) open = i;
    to.push_back(copies ? from[i] : number == -1 ? Dim(1) : (*target)[i]);
  }
  const Dim whole = numel(from);
  if (open) {
    to.erase(to.begin() + static_cast<std::ptrdiff_t>(*open));
    to.insert(to.begin() + static_cast<std::ptrdiff_t>(*open), left_over(from, to));
  }
  if (const auto left = (numel(to) - whole).constant(); left && *left != 0) {
    a.mismatch(
        cat("a tensor of shape ", shape_text(from), " cannot take the shape ", shape_text(to)));
  }
  return one(a.dtype(0), std::move(to));
}

Types transpose(const Application& a) {
  const Shape& from = a.shape(0);
  std::vector<std::int64_t> perm;
  for (std::size_t i = from.size(); i-- > 0;) perm.push_back(static_cast<std::int64_t>(i));
  if (const auto given = a.integers("perm")) perm = *given;
  std::vector<std::int64_t> sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<std::int64_t>(i)) a.mismatch("perm is no permutation");
  if (perm.size() != from.size()) a.mismatch(cat("perm has ", perm.size(), " axes"));
  Shape to;
  for (const std::int64_t axis : perm) to.push_back(from[static_cast<std::size_t>(axis)]);
  return one(a.dtype(0), std::move(to));
}

Types unsqueeze(const Application& a) {
  const auto axes = axes_of(a, 1);
  if (!axes) a.mismatch("it has no axes");
  const std::size_t rank = a.shape(0).size() + axes->size();
  std::vector<bool> is_new(rank, false);
  for (const std::int64_t axis : *axes) is_new[axis_index(axis, rank)] = true;
  Shape to;
  auto next = a.shape(0).begin();
  for (std::size_t i = 0; i < rank; ++i) {
    if (!is_new[i] && next == a.shape(0).end()) a.mismatch("an axis is named twice");
    to.push_back(is_new[i] ? Dim(1) : *next++);
  }
  Types types = one(a.dtype(0), std::move(to));
  if (rank == 1) types[0].elements = a.elements(0);
  return types;
}

Types squeeze(const Application& a) {
  const Shape& from = a.shape(0);
  std::vector<bool> drops(from.size(), false);
  if (const auto axes = axes_of(a, 1)) {
    for (const std::int64_t axis : *axes) drops[axis_index(axis, from.size())] = true;
  } else {
    for (std::size_t i = 0; i < from.size(); ++i) drops[i] = from[i] == Dim(1);
  }
  Shape to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (drops[i] && from[i].is_constant() && from[i] != Dim(1))
      a.mismatch(cat("axis ", i, " of ", shape_text(from), " is not 1"));
    if (!drops[i]) to.push_back(from[i]);
  }
  Types types = one(a.dtype(0), std::move(to));
  types[0].elements = a.elements(0);
  return types;
}

Types flatten(const Application& a) {
  const Shape& from = a.shape(0);
  const std::int64_t given = a.integer("axis", 1);
  const auto axis = static_cast<std::ptrdiff_t>(given == static_cast<std::int64_t>(from.size())
                                                    ? from.size()
                                                    : axis_index(given, from.size()));
  return one(a.dtype(0), {numel(Shape(from.begin(), from.begin() + axis)),
                          numel(Shape(from.begin() + axis, from.end()))});
}

Types expand(const Application& a) {
  const auto target = a.elements(1);
  if (!target)
    return one(a.dtype(0), unknown_shape(a, std::max(a.shape(0).size(), rank_from(a, 1))));
  return one(a.dtype(0), broadcast(a.shape(0), *target));
}

Types tile(const Application& a) {
  const auto repeats = a.elements(1);
  if (!repeats) return one(a.dtype(0), unknown_shape(a, a.shape(0).size()));
  if (repeats->size() != a.shape(0).size()) a.mismatch("there must be one repeat per axis");
  Shape to;
  for (std::size_t i = 0; i < repeats->size(); ++i) to.push_back(a.shape(0)[i] * (*repeats)[i]);
  return one(a.dtype(0), std::move(to));
}

Types concat(const Application& a) {
  Shape to = a.shape(0);
  const std::size_t axis = axis_index(a.integer("axis"), to.size());
  std::optional<std::vector<Dim>> elements = a.elements(0);
  for (std::size_t i = 1; i < a.inputs.size(); ++i) {
    const Shape& next = a.shape(i);
    if (next.size() != to.size() || a.dtype(i) != a.dtype(0))
      a.mismatch(cat("input ", i, " is ", name_of(a.dtype(i)), shape_text(next), ", input 0 is ",
                     name_of(a.dtype(0)), shape_text(a.shape(0))));
    for (std::size_t d = 0; d < to.size(); ++d) {
      const bool differs =
          d != axis && to[d].is_constant() && next[d].is_constant() && to[d] != next[d];
      if (differs)
        a.mismatch(cat(shape_text(to), " and ", shape_text(next), " differ on axis ", d));
      if (d != axis && next[d].is_constant()) to[d] = next[d];
    }
    to[axis] = to[axis] + next[axis];
    const auto more = a.elements(i);
    if (elements && more) {
      elements->insert(elements->end(), more->begin(), more->end());
    } else {
      elements.reset();
    }
  }
  Types types = one(a.dtype(0), std::move(to));
  if (elements && elements->size() <= Type::kMaxElements) types[0].elements = std::move(elements);
  return types;
}

Types split(const Application& a) {
  const Shape& from = a.shape(0);
  const std::size_t axis = axis_index(a.integer("axis", 0), from.size());
  std::vector<Dim> parts;
  if (a.has(1)) {
    const auto given = a.elements(1);
    Dim sum;
    for (std::size_t i = 0; i < a.output_count; ++i) {
      parts.push_back(given && i < given->size() ? (*given)[i] : a.unknown(i, axis));
      sum = sum + parts.back();
    }
    if (const auto left = (from[axis] - sum).constant(); left.value_or(0) != 0)
      a.mismatch(cat("parts of ", sum.text(), " in all do not fit an axis of ", from[axis].text()));
  } else {
    const auto count = static_cast<std::int64_t>(a.output_count);
    const Dim part = ceil_div(from[axis], count);
    parts.assign(a.output_count - 1, part);
    parts.push_back(from[axis] - part * Dim(count - 1));
  }
  Types types;
  for (const Dim& part : parts) {
    Shape to = from;
    to[axis] = part;
    types.push_back(Type{a.dtype(0), std::move(to), {}});
  }
  return types;
}

// (data, starts, ends, axes, steps)
Types slice(const Application& a) {
  Shape to = a.shape(0);
  const auto starts = a.elements(1);
  const auto ends = a.elements(2);
  std::vector<std::int64_t> axes;
  if (a.has(3)) {
    axes = a.numbers(3);
  } else {
    for (std::size_t i = 0; i < rank_from(a, 1); ++i) axes.push_back(static_cast<std::int64_t>(i));
  }
  const auto steps = steps_of(a, axes.size());
  std::vector<bool> is_sliced(to.size(), false);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axis_index(axes[i], to.size());
    if (is_sliced[axis]) a.mismatch(cat("axis ", axis, " is named twice"));
    is_sliced[axis] = true;
    const bool is_known = steps && starts && ends && i < starts->size() && i < ends->size();
    to[axis] = is_known ? sliced(a, to[axis], (*starts)[i], (*ends)[i], (*steps)[i], axis)
                        : a.unknown(0, axis);
  }
  Types types = one(a.dtype(0), std::move(to));
  if (steps) types[0].elements = sliced_elements(a, starts, axes, *steps, *types[0].shape);
  return types;
}

// (data, pads, value, axes): all starts, then all ends.
Types pad(const Application& a) {
  Shape to = a.shape(0);
  std::vector<std::int64_t> axes;
  if (a.has(3)) {
    axes = a.numbers(3);
  } else {
    for (std::size_t i = 0; i < to.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  }
  const auto pads = a.elements(1);
  if (pads && pads->size() != 2 * axes.size()) a.mismatch("there must be two pads per axis");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axis_index(axes[i], to.size());
    to[axis] = pads ? to[axis] + (*pads)[i] + (*pads)[i + axes.size()] : a.unknown(0, axis);
  }
  return one(a.dtype(0), std::move(to));
}

// (start, limit, delta), scalars.
Types range(const Application& a) {
  const auto start = a.elements(0);
  const auto limit = a.elements(1);
  const auto delta = a.elements(2);
  const auto is_one = [](const std::optional<std::vector<Dim>>& list) {
    return list && list->size() == 1;
  };
  const bool is_known =
      is_one(start) && is_one(limit) && is_one(delta) && delta->front().constant().value_or(0) > 0;
  if (!is_known) return one(a.dtype(0), {a.unknown(0, 0)});
  const Dim count = ceil_div(limit->front() - start->front(), delta->front());
  return one(a.dtype(0), {count.is_constant() ? max(count, Dim(0)) : count});
}

Types constant_of_shape(const Application& a) {
  const Attribute* value = a.find("value");
  const auto* tensor = value ? std::get_if<Tensor>(value) : nullptr;
  const DType dtype = tensor ? tensor->dtype : DType::kFloat32;
  const auto target = a.elements(0);
  return one(dtype, target ? Shape(*target) : unknown_shape(a, rank_from(a, 0)));
}

}  // namespace voxport::infer_family
