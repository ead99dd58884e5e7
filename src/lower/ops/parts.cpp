#include "lower/ops/parts.h"

#include <algorithm>
#include <memory>

#include "lower/arithmetic.h"
#include "lower/compute_type.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// The target of a reshape in the form that suits ONNX best: 0 for what stays, -1 for the one size
// that is not known, so that the shape is a constant wherever it can be.
Value reshape_target(const Value& x, const std::vector<Number>& sizes) {
  std::vector<std::int64_t> target;
  int open = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto number = sizes[i].as_int();
    if (number == 0) return {};
    const bool stays = i < x.rank() && !number && sizes[i].dim() == x.shape()[i];
    if (number == -1 || (!number && !stays)) ++open;
    target.push_back(stays ? 0 : number.value_or(-1));
  }
  if (open > 1) return {};
  return Builder(x.graph()).int64s(target);
}

// Notes the dynamic sizes of a tensor for which a reshape has numbers.
void note_fixed_by_reshape(const Call& call, const Value& x, const std::vector<Number>& sizes) {
  Dim target = 1;
  for (const Number& size : sizes) {
    if (size.as_int().value_or(1) < 1) return;
    target = target * size.dim();
  }
  const Dim whole = numel(x.shape());
  if (target == whole) return;
  for (const Dim& dim : x.shape()) {
    if (dim.is_constant() || target == Dim(0)) continue;
    const Dim fixed = floor_div(target, floor_div(whole, dim));
    if (fixed.is_constant())
      call.walk().note_fixed(dim, *fixed.constant());
    else if (fixed.symbols().size() == 1 && fixed.symbols() == dim.symbols())
      call.walk().note_fixed(Shape{dim}, Shape{fixed});
  }
}

// A size of -1 is whatever is left, which nothing tells of a tensor that has no elements.
void note_least_by_reshape(const Call& call, const std::vector<Number>& sizes) {
  const auto is_open = [](const Number& size) { return size.as_int() == -1; };
  if (std::ranges::none_of(sizes, is_open)) return;
  for (const Number& size : sizes)
    if (!size.as_int()) call.walk().note_least(size.dim(), 1);
}

// The part [start, end) of an axis put back between what lies before and after it.
Value put_between(const Value& base, const Value& part, std::int64_t axis, const Value& start,
                  const Value& end) {
  Builder g(base.graph());
  return concat({voxport::slice(base, axis, g.int64s({0}), start), part,
                 voxport::slice(base, axis, end, g.int64s({kToTheEnd}))},
                axis);
}

// The same for known positions that are in order, see is_in_order().
Value put_between(const Value& base, const Value& part, std::int64_t axis, std::int64_t start,
                  std::int64_t end) {
  std::vector<Value> parts;
  if (start != 0) parts.push_back(voxport::slice(base, axis, 0, start));
  parts.push_back(part);
  if (end != kToTheEnd) parts.push_back(voxport::slice(base, axis, end, kToTheEnd));
  return parts.size() == 1 ? part : concat(std::move(parts), axis);
}

// Whether nothing of an axis lies both before and after a part of it, and the three of them are as
// long as the axis, in numbers or as an expression.
bool is_in_order(const Dim& size, const Number& start, const Number& end, const Number& step) {
  if (step.as_int() != 1 || !start.as_int() || !end.as_int()) return false;
  const std::int64_t first = *start.as_int();
  const std::int64_t last = *end.as_int();
  if (!size.is_constant())
    return first <= 0 && (last == kToTheEnd || (first < 0 && last < 0 && first <= last));
  return last == kToTheEnd || ((first < 0) == (last < 0) && first <= last);
}

// A size of an input's axis, which is never below 0; other symbols may stand for any int.
bool is_size_of_input(const Graph& graph, const Dim& dim) {
  return std::ranges::any_of(graph.inputs(), [&](const Value& input) {
    return std::ranges::find(input.shape(), dim) != input.shape().end();
  });
}

// Whether a place counts from the start at all sizes. A symbol alone is taken to, also where it may
// be any integer: the run finds out.
bool counts_from_start(const Dim& at) { return at.symbol_name() || max(at, Dim(0)) == at; }

// Start or end of a slice. A number is taken as it is; what is computed is kept inside of the axis,
// as infer() requires, and counted from the start where it counts from the end for all sizes of 1
// and more. The run counts as Python does, whatever the sizes are: where the bound is known only
// then, or sizes of 1 and more would make it a number, infer() does not get to know it.
Value slice_bound(const Call& call, const Value& base, std::int64_t axis, const Number& bound) {
  Scopes& scopes = call.scopes();
  if (bound.as_int()) return call.sizes({bound});
  const Dim& at = bound.dim();
  const Dim& size = base.dim(axis);
  const Number zero = Number::of_int(0);
  if (counts_from_start(at) && min(at, size) == at) return call.sizes({bound});
  if (counts_from_start(at) && !min(at, size).is_constant())
    return call.sizes({compute(scopes, Arithmetic::kMin, bound, size_number(call, base, axis))});
  if (min(at, Dim(-1)) == at && (size + at == Dim(0) || !(size + at).is_constant()))
    return call.sizes(
        {compute(scopes, Arithmetic::kMax, counted_from_start(call, base, axis, bound), zero)});
  return Builder(base.graph()).node("Max", {call.sizes({bound})});
}

// PyTorch has no steps below 1. Where only the run tells, such a step becomes 0, which ends it.
Value slice_step(const Call& call, const Number& step) {
  if (step.as_int()) return call.sizes({step});
  return call.sizes({compute(call.scopes(), Arithmetic::kMax, step, Number::of_int(0))});
}

Value indices_of_slice(const Call& call, const Value& base, std::int64_t axis, const Number& start,
                       const Number& end, const Number& step) {
  Builder g(base.graph());
  const Value all = range(voxport::size(base, axis));
  return g.node("Slice", {all, call.sizes({start}), call.sizes({end}), g.int64s({0}),
                          slice_step(call, step)});
}

// A matrix in a tensor, as its last two axes, and where its diagonal lies in its elements.
struct Diagonal {
  std::vector<std::int64_t> perm;  // that makes dim1 and dim2 the last axes
  std::int64_t offset = 0;

  Value flat(const Value& base) const {  // [..., n * m]
    const Value turned = permuted(base, perm);
    std::vector<std::int64_t> target(base.rank() - 2, 0);
    target.push_back(-1);
    return reshape(turned, target);
  }

  // int64 [l]
  Value indices(const Call& call, const Value& base) const {
    Scopes& scopes = call.scopes();
    const Number rows = size_number(call, base, perm[perm.size() - 2]);
    const Number columns = size_number(call, base, perm.back());
    const Number below = Number::of_int(std::max<std::int64_t>(-offset, 0));
    const Number right = Number::of_int(std::max<std::int64_t>(offset, 0));
    const Number length =
        compute(scopes, Arithmetic::kMin, compute(scopes, Arithmetic::kSub, rows, below),
                compute(scopes, Arithmetic::kSub, columns, right));
    const Number one = Number::of_int(1);
    const Number step = compute(scopes, Arithmetic::kAdd, columns, one);
    const Number first =
        compute(scopes, Arithmetic::kAdd, compute(scopes, Arithmetic::kMul, below, columns), right);
    if (length.as_int().value_or(0) < 0) return Builder(base.graph()).int64s({});
    return range(call.sizes({length})) * scopes.value_of(step) + scopes.value_of(first);
  }
};

DType type_to_reduce(DType dtype) {
  if (is_floating(dtype)) return dtype == DType::kFloat64 ? dtype : DType::kFloat32;
  return dtype == DType::kInt64 ? dtype : DType::kInt32;
}

Value as(const Value& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

Value scatter(const char* op, const Value& data, const Value& indices, const Value& updates,
              const std::string& reduction, Attributes attributes) {
  Builder g(data.graph());
  if (reduction == "none") return g.node(op, {data, indices, updates}, std::move(attributes));
  attributes.emplace_back("reduction", reduction);
  const DType dtype = type_to_reduce(data.dtype());
  return as(g.node(op, {as(data, dtype), indices, as(updates, dtype)}, std::move(attributes)),
            data.dtype());
}

// A number that lies in a constant list, as that of IntTensor([4])[0], stays known. Nothing for
// other tensors.
Value known_element(const Value& list, const Number& index) {
  const auto at = index.as_int();
  if (!at || !list.constant() || list.rank() != 1) return {};
  Tensor element = *list.constant();
  const std::int64_t count = element.shape[0];
  if (*at < -count || *at >= count) return {};
  const std::int64_t stride = element.is_contiguous() ? 1 : element.strides[0];
  element.offset += (*at < 0 ? *at + count : *at) * stride;
  element.shape.clear();
  element.strides.clear();
  return Builder(list.graph()).constant("element", std::move(element));
}

}  // namespace

std::size_t seen_rank(const Call& call, std::string_view name) {
  const std::size_t rank = call.tensor(name).rank();
  const TensorCell* cell = call.item(name).cell();
  return cell && cell->is_complex ? rank - 1 : rank;
}

Value shape_of(const Value& x) { return Builder(x.graph()).node("Shape", {x}); }

Value shape_of(const Value& x, std::int64_t start, std::int64_t end) {
  return voxport::slice(shape_of(x), 0, start, end);
}

Value shape_with(const Value& x, std::int64_t start, std::int64_t end, const Value& sizes) {
  std::vector<Value> parts;
  if (start > 0) parts.push_back(shape_of(x, 0, start));
  parts.push_back(sizes);
  if (end < rank_of(x)) parts.push_back(shape_of(x, end, kToTheEnd));
  return parts.size() == 1 ? sizes : concat(std::move(parts), 0);
}

Number size_number(const Call& call, const Value& x, std::int64_t axis) {
  if (const auto number = x.dim(axis).constant()) return Number::of_int(*number);
  return call.scopes().size_of(gather(shape_of(x), Builder(x.graph()).int64(axis), 0));
}

Number counted_from_start(const Call& call, const Value& x, std::int64_t axis,
                          const Number& place) {
  Scopes& scopes = call.scopes();
  const Dim& at = place.dim();
  if (place.as_int().value_or(-1) >= 0 || is_size_of_input(x.graph(), at)) return place;
  Number moved = compute(scopes, Arithmetic::kAdd, size_number(call, x, axis), place);
  if (place.as_int() || moved.as_int() == 0) return moved;
  const Number is_moved = compare(scopes, "Less", place, Number::of_int(0));
  const Value chosen =
      choose(scopes.value_of(is_moved), scopes.value_of(moved), scopes.value_of(place));
  const bool is_before_end = min(at, Dim(-1)) == at;
  Dim dim = is_before_end ? moved.dim() : at;
  // A number would be taken for what it is at every size.
  if (dim.is_constant() || (!is_before_end && !counts_from_start(at)))
    dim = Dim::symbol(scopes.new_symbol(), std::nullopt);
  scopes.graph().declare_elements(chosen, {dim});
  return scopes.size_of(chosen);
}

std::vector<Number> size_numbers(const Call& call, const Value& x) {
  std::vector<Number> sizes;
  for (std::int64_t i = 0; i < rank_of(x); ++i) sizes.push_back(size_number(call, x, i));
  return sizes;
}

Value reshaped(const Call& call, const Value& x, const std::vector<Number>& sizes) {
  note_fixed_by_reshape(call, x, sizes);
  note_least_by_reshape(call, sizes);
  if (const Value target = reshape_target(x, sizes)) return reshape(x, target);
  const bool has_zero =
      std::ranges::any_of(sizes, [](const Number& size) { return size.as_int() == 0; });
  Attributes attributes;
  if (has_zero) attributes.emplace_back("allowzero", std::int64_t{1});
  return Builder(x.graph()).node("Reshape", {x, call.sizes(sizes)}, std::move(attributes));
}

Value flattened(const Value& x) {
  return x.rank() == 1 ? x : reshape(x, std::vector<std::int64_t>{-1});
}

Value at_least(const Value& x, std::size_t rank) {
  std::vector<std::int64_t> axes;
  if (x.rank() == 0)
    for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  if (x.rank() == 1 && rank >= 2) axes = {0};
  if (x.rank() > 0 && x.rank() < 3 && rank == 3) axes.push_back(2);
  return axes.empty() ? x : voxport::unsqueeze(x, axes);
}

std::vector<std::int64_t> to_front(std::size_t rank, const std::vector<std::int64_t>& axes) {
  std::vector<std::int64_t> perm = axes;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rank); ++i)
    if (std::ranges::find(axes, i) == axes.end()) perm.push_back(i);
  return perm;
}

std::vector<std::int64_t> swapped_axes(std::size_t rank, std::int64_t a, std::int64_t b) {
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rank); ++i)
    axes.push_back(i == a ? b : i == b ? a : i);
  return axes;
}

std::vector<std::int64_t> inverse(const std::vector<std::int64_t>& perm) {
  std::vector<std::int64_t> back(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    back[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  return back;
}

Value permuted(const Value& x, const std::vector<std::int64_t>& perm) {
  return std::ranges::is_sorted(perm) ? x : voxport::transpose(x, perm);
}

View select_view(const Call& call, std::int64_t axis, const Number& index) {
  View view;
  view.look = [call, axis, index](const Value& base) {
    const Value known = known_element(base, index);
    return known ? known : gather(base, call.scopes().value_of(index), axis);
  };
  view.put = [call, axis, index](const Value& base, const Value& part) {
    Builder g(base.graph());
    const Value row = voxport::unsqueeze(part, {axis});
    const auto at = index.as_int();
    if (at && *at >= 0 && !base.dim(axis).is_constant())
      return put_at(base, row, axis, g.int64s({*at}));
    if (at) return put_between(base, row, axis, *at, *at == -1 ? kToTheEnd : *at + 1);
    // Counted from the start.
    const Value start = g.node("Mod", {call.sizes({index}), voxport::size(base, axis)});
    return put_between(base, row, axis, start, start + g.int64s({1}));
  };
  return view;
}

View slice_view(const Call& call, std::int64_t axis, const Number& start, const Number& end,
                const Number& step) {
  View view;
  view.look = [=](const Value& base) {
    Builder g(base.graph());
    return g.node("Slice",
                  {base, slice_bound(call, base, axis, start), slice_bound(call, base, axis, end),
                   g.int64s({axis}), slice_step(call, step)});
  };
  view.put = [=](const Value& base, const Value& part) {
    if (is_in_order(base.dim(axis), start, end, step))
      return put_between(base, part, axis, *start.as_int(), *end.as_int());
    return put_at(base, part, axis, indices_of_slice(call, base, axis, start, end, step));
  };
  return view;
}

View diagonal_view(const Call& call, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
  const std::size_t rank = call.tensor("self").rank();
  if (dim1 == dim2) call.refuse("both axes of the diagonal are ", dim1);
  Diagonal diagonal;
  diagonal.offset = offset;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rank); ++i)
    if (i != dim1 && i != dim2) diagonal.perm.push_back(i);
  diagonal.perm.push_back(dim1);
  diagonal.perm.push_back(dim2);
  const auto last = static_cast<std::int64_t>(rank) - 2;
  View view;
  view.look = [=](const Value& base) {
    return gather(diagonal.flat(base), diagonal.indices(call, base), last);
  };
  view.put = [=](const Value& base, const Value& part) {
    const Value written = put_at(diagonal.flat(base), part, last, diagonal.indices(call, base));
    const Value turned = reshape(written, shape_of(permuted(base, diagonal.perm)));
    return permuted(turned, inverse(diagonal.perm));
  };
  return view;
}

Value put_at(const Value& base, const Value& part, std::int64_t axis, const Value& indices) {
  const std::vector<std::int64_t> perm = swapped_axes(base.rank(), 0, axis);
  const Value written = scatter_nd(permuted(base, perm), voxport::unsqueeze(indices, {1}),
                                   permuted(part, perm), "none");
  return permuted(written, perm);
}

Value choose(const Value& mask, const Value& yes, const Value& no) {
  return apply_op("Where", {mask, yes, no});
}

Value scatter_nd(const Value& data, const Value& indices, const Value& updates,
                 const std::string& reduction) {
  return scatter("ScatterND", data, indices, updates, reduction, {});
}

Value scatter_along(const Value& data, const Value& indices, const Value& updates,
                    std::int64_t axis, const std::string& reduction) {
  return scatter("ScatterElements", data, indices, updates, reduction, {{"axis", axis}});
}

}  // namespace voxport::ops
