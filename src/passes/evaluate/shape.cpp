#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/checked.h"
#include "base/tensor_math.h"
#include "passes/evaluate/families.h"
#include "passes/rewrite.h"

namespace voxport::evaluate_family {
namespace {

Ints strides_of(const Tensor& tensor) {
  return tensor.is_contiguous() ? row_major_strides(tensor.shape) : tensor.strides;
}

// All axes from -rank to rank - 1, no other; counted from the front.
std::optional<Ints> from_front(Ints axes, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  for (std::int64_t& axis : axes) {
    if (axis < -count || axis >= count) return std::nullopt;
    if (axis < 0) axis += count;
  }
  return axes;
}

// One element, as often as the shape says: a stride of 0 takes no memory.
Tensor filled(const Tensor& element, const Ints& shape) {
  return make_tensor(element.dtype, shape, Ints(shape.size(), 0), element.offset, element.storage);
}

Results reshaped_to(const Tensor& x, const Ints& shape) {
  if (!is_countable(shape) || *checked_numel(shape) != x.numel()) return std::nullopt;
  return one(reshaped(x, shape));
}

// start, start + step, ...
Ints indices(std::int64_t start, std::int64_t step, std::int64_t count) {
  Ints all(static_cast<std::size_t>(count));
  for (std::int64_t& index : all) index = std::exchange(start, start + step);
  return all;
}

// The part of one axis, as Slice clamps it. Steps that are longer than the axis take one element.
Tensor slice_of(const Tensor& x, std::size_t axis, std::int64_t start, std::int64_t end,
                std::int64_t step) {
  const std::int64_t size = x.shape[axis];
  if (size == 0) return x;
  start += start < 0 ? size : 0;
  end += end < 0 ? size : 0;
  step = std::clamp(step, -size, size);
  if (step < 0) {
    start = std::clamp<std::int64_t>(start, 0, size - 1);
    end = std::clamp<std::int64_t>(end, -1, start);
    return picked(x, axis, indices(start, step, (start - end - step - 1) / -step));
  }
  start = std::clamp<std::int64_t>(start, 0, size);
  end = std::clamp(end, start, size);
  if (step == 1) return sliced(x, axis, start, end);
  return picked(x, axis, indices(start, step, (end - start + step - 1) / step));
}

// Where each element of a padded axis comes from, for the modes that repeat elements.
std::optional<Ints> padded_order(std::int64_t size, std::int64_t before, std::int64_t after,
                                 const std::string& mode) {
  Ints order;
  const bool reflects = mode == "reflect";
  if (size == 0 || (reflects && std::max(before, after) >= size)) return std::nullopt;
  if (!reflects && mode != "edge") return std::nullopt;
  for (std::int64_t i = -before; i < size + after; ++i) {
    const std::int64_t last = size - 1;
    const std::int64_t mirrored = i < 0 ? -i : i > last ? 2 * last - i : i;
    order.push_back(reflects ? mirrored : std::clamp<std::int64_t>(i, 0, last));
  }
  return order;
}

// One axis of a Pad; negative pads cut off.
std::optional<Tensor> padded(const Tensor& given, std::size_t axis, std::int64_t before,
                             std::int64_t after, const std::string& mode, const Tensor& element) {
  const std::int64_t start = std::max<std::int64_t>(-before, 0);
  const std::int64_t end = given.shape[axis] - std::max<std::int64_t>(-after, 0);
  if (start > end) return std::nullopt;
  const Tensor x = sliced(given, axis, start, end);
  before = std::max<std::int64_t>(before, 0);
  after = std::max<std::int64_t>(after, 0);
  Ints shape = x.shape;
  const auto total = checked_add(checked_add(before, after).value_or(-1), shape[axis]);
  shape[axis] = total.value_or(-1);
  if (!is_countable(shape)) return std::nullopt;
  if (before == 0 && after == 0) return x;
  if (mode != "constant") {
    const auto order = padded_order(x.shape[axis], before, after, mode);
    return order ? std::optional(picked(x, axis, *order)) : std::nullopt;
  }
  const auto block = [&](std::int64_t size) {
    shape[axis] = size;
    return filled(element, shape);
  };
  return joined({block(before), x, block(after)}, axis);
}

Tensor zero_of(DType dtype) {
  return make_tensor(dtype, {}, {}, 0, storage_of(Blob::own(std::string(size_of(dtype), '\0'))));
}

template <class Number>
Results range_of(const Operands& a) {
  const Number start = numbers_in<Number>(a[0]).at(0);
  const Number limit = numbers_in<Number>(a[1]).at(0);
  const Number delta = numbers_in<Number>(a[2]).at(0);
  if (delta == 0) return std::nullopt;
  const double count = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                                 static_cast<double>(delta));
  const double most = std::ldexp(1, 40);
  if (!(std::abs(count) < most)) return std::nullopt;
  const auto size = std::max<std::int64_t>(static_cast<std::int64_t>(count), 0);
  return one(computed_numbers<Number>(a[0].dtype, {size}, [=] {
    std::vector<Number> numbers;
    for (std::int64_t i = 0; i < size; ++i)
      numbers.push_back(start + static_cast<Number>(i) * delta);
    return numbers;
  }));
}

}  // namespace

Results identity(const Operands& a) { return one(a[0]); }

// 0 copies a size, -1 is what is left over.
Results reshape(const Operands& a) {
  std::optional<Ints> shape = a.ints(1);
  if (!shape) return std::nullopt;
  const bool copies = integer_of(a.node, "allowzero", 0) == 0;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if ((*shape)[i] != 0 || !copies) continue;
    if (i >= a[0].shape.size()) return std::nullopt;
    (*shape)[i] = a[0].shape[i];
  }
  const auto open = std::ranges::find(*shape, -1);
  if (open == shape->end()) return reshaped_to(a[0], *shape);
  *open = 1;
  const auto rest = checked_numel(*shape);
  if (!rest || *rest == 0 || a[0].numel() % *rest != 0) return std::nullopt;
  *open = a[0].numel() / *rest;
  return reshaped_to(a[0], *shape);
}

Results unsqueeze(const Operands& a) {
  const std::optional<Ints> given = a.axes(1);
  if (!given) return std::nullopt;
  const std::size_t rank = a[0].shape.size() + given->size();
  std::optional<Ints> axes = from_front(*given, rank);
  if (!axes) return std::nullopt;
  std::ranges::sort(*axes);
  Ints shape = a[0].shape;
  for (const std::int64_t axis : *axes) shape.insert(shape.begin() + axis, 1);
  return reshaped_to(a[0], shape);
}

Results squeeze(const Operands& a) {
  const std::optional<Ints> given = a.axes(1);
  const std::optional<Ints> axes = from_front(given.value_or(Ints()), a[0].shape.size());
  if (!axes) return std::nullopt;
  Ints shape;
  for (std::size_t i = 0; i < a[0].shape.size(); ++i) {
    const bool is_named = std::ranges::count(*axes, static_cast<std::int64_t>(i)) > 0;
    const bool goes = given ? is_named : a[0].shape[i] == 1;
    if (!goes) shape.push_back(a[0].shape[i]);
  }
  return reshaped_to(a[0], shape);
}

Results flatten(const Operands& a) {
  const auto rank = static_cast<std::int64_t>(a[0].shape.size());
  const std::int64_t given = integer_of(a.node, "axis", 1);
  const std::int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis > rank) return std::nullopt;
  const auto before = checked_numel(std::span(a[0].shape).first(static_cast<std::size_t>(axis)));
  const auto after = checked_numel(std::span(a[0].shape).subspan(static_cast<std::size_t>(axis)));
  return before && after ? reshaped_to(a[0], {*before, *after}) : std::nullopt;
}

Results transpose(const Operands& a) {
  const Attribute* perm = a.node.find("perm");
  return one(permuted(a[0], perm ? std::get<Ints>(*perm)
                                 : backwards(static_cast<std::int64_t>(a[0].shape.size()))));
}

Results expand(const Operands& a) {
  const std::optional<Ints> target = a.ints(1);
  const std::optional<Ints> shape = target ? broadcast_shape(a[0].shape, *target) : std::nullopt;
  if (!shape) return std::nullopt;
  Ints strides(shape->size(), 0);
  const Ints given = strides_of(a[0]);
  const std::size_t added = shape->size() - given.size();
  for (std::size_t i = 0; i < given.size(); ++i)
    if (a[0].shape[i] != 1) strides[i + added] = given[i];
  return one(make_tensor(a[0].dtype, *shape, std::move(strides), a[0].offset, a[0].storage));
}

Results tile(const Operands& a) {
  const std::optional<Ints> repeats = a.ints(1);
  if (!repeats || repeats->size() != a[0].shape.size()) return std::nullopt;
  Tensor x = a[0];
  for (std::size_t axis = 0; axis < repeats->size(); ++axis) {
    if ((*repeats)[axis] == 1) continue;
    Ints shape = x.shape;
    shape[axis] = checked_mul(shape[axis], (*repeats)[axis]).value_or(-1);
    if (!is_countable(shape)) return std::nullopt;
    const std::vector<Tensor> parts(static_cast<std::size_t>((*repeats)[axis]), x);
    x = parts.empty() ? sliced(x, axis, 0, 0) : joined(parts, axis);
  }
  return one(x);
}

Results concat(const Operands& a) {
  const auto axis = from_front({integer_of(a.node, "axis", 0)}, a[0].shape.size());
  if (!axis) return std::nullopt;
  std::vector<Tensor> parts;
  for (const std::optional<Tensor>& input : a.inputs) parts.push_back(*input);
  return one(joined(std::move(parts), static_cast<std::size_t>(axis->front())));
}

Results split(const Operands& a) {
  const auto axis = from_front({integer_of(a.node, "axis", 0)}, a[0].shape.size());
  if (!axis) return std::nullopt;
  const auto at = static_cast<std::size_t>(axis->front());
  const auto count = static_cast<std::int64_t>(a.node.outputs().size());
  const std::int64_t even = (a[0].shape[at] + count - 1) / count;
  const Ints sizes = a.has(1) ? a.ints(1).value_or(Ints()) : Ints(a.node.outputs().size(), even);
  if (sizes.size() != a.node.outputs().size()) return std::nullopt;
  std::vector<Tensor> parts;
  std::int64_t start = 0;
  for (const std::int64_t size : sizes) {
    const std::int64_t end = a.has(1) ? start + size : std::min(start + size, a[0].shape[at]);
    if (size < 0 || end > a[0].shape[at] || start > end) return std::nullopt;
    parts.push_back(sliced(a[0], at, start, end));
    start = end;
  }
  return parts;
}

Results slice(const Operands& a) {
  const std::optional<Ints> starts = a.ints(1);
  const std::optional<Ints> ends = a.ints(2);
  if (!starts || !ends) return std::nullopt;
  Ints all(starts->size());
  std::iota(all.begin(), all.end(), 0);
  const auto axes = from_front(a.has(3) ? a.ints(3).value_or(Ints()) : all, a[0].shape.size());
  const Ints steps = a.has(4) ? a.ints(4).value_or(Ints()) : Ints(starts->size(), 1);
  const bool fit = axes && axes->size() == starts->size() && ends->size() == starts->size() &&
                   steps.size() == starts->size() && std::ranges::count(steps, 0) == 0;
  if (!fit) return std::nullopt;
  Tensor x = a[0];
  for (std::size_t i = 0; i < axes->size(); ++i)
    x = slice_of(x, static_cast<std::size_t>((*axes)[i]), (*starts)[i], (*ends)[i], steps[i]);
  return one(x);
}

Results pad(const Operands& a) {
  const std::optional<Ints> pads = a.ints(1);
  Ints all(a[0].shape.size());
  std::iota(all.begin(), all.end(), 0);
  const auto axes = from_front(a.has(3) ? a.ints(3).value_or(Ints()) : all, a[0].shape.size());
  if (!pads || !axes || pads->size() != 2 * axes->size()) return std::nullopt;
  const std::string mode = text_of(a.node, "mode", "constant");
  const Tensor element = a.has(2) ? reshaped(a[2], {}) : zero_of(a[0].dtype);
  std::optional<Tensor> x = a[0];
  for (std::size_t i = 0; i < axes->size() && x; ++i)
    x = padded(*x, static_cast<std::size_t>((*axes)[i]), (*pads)[i], (*pads)[i + axes->size()],
               mode, element);
  return x ? one(*x) : std::nullopt;
}

Results range(const Operands& a) {
  if (is_floating(a[0].dtype)) return range_of<double>(a);
  return is_whole(a[0].dtype) ? range_of<std::int64_t>(a) : std::nullopt;
}

Results constant_of_shape(const Operands& a) {
  const std::optional<Ints> shape = a.ints(0);
  if (!shape || !is_countable(*shape)) return std::nullopt;
  const Attribute* value = a.node.find("value");
  const Tensor element = value ? std::get<Tensor>(*value) : zero_of(DType::kFloat32);
  return one(filled(element, *shape));
}

// Elements below the k-th diagonal become 0, or those above it.
Results trilu(const Operands& a) {
  const std::int64_t k = a.has(1) ? numbers_in<std::int64_t>(a[1]).at(0) : 0;
  const bool is_upper = integer_of(a.node, "upper", 1) != 0;
  if (a[0].shape.size() < 2) return std::nullopt;
  return one(computed_tensor(a[0].dtype, a[0].shape, [x = a[0], k, is_upper] {
    std::string bytes(contiguous(x).text());
    const std::size_t item = size_of(x.dtype);
    const std::int64_t columns = x.shape.back();
    const std::int64_t rows = x.shape[x.shape.size() - 2];
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      const std::int64_t diagonal = i % columns - i / columns % rows;
      if (is_upper ? diagonal < k : diagonal > k)
        std::memset(bytes.data() + static_cast<std::size_t>(i) * item, 0, item);
    }
    return Blob::own(std::move(bytes));
  }));
}

}  // namespace voxport::evaluate_family
