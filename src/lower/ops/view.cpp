// Views: other ways to look at the elements of a tensor. Each can be looked through and written to.
#include <cstdint>
#include <limits>

#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int64_t>::max();

Value shape_of(const Value& x) { return Builder(x.graph()).node("Shape", {x}); }

// The same elements in the same order: what is written goes back by the base's shape.
Item in_order(const Call& call, std::function<Value(const Value&)> look) {
  View view;
  view.look = std::move(look);
  view.put = [](const Value& base, const Value& part) { return reshape(part, shape_of(base)); };
  return call.view("self", std::move(view), true);
}

Item permuted_view(const Call& call, std::vector<std::int64_t> perm) {
  std::vector<std::int64_t> back(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    back[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  const bool is_same = std::ranges::is_sorted(perm);
  View view;
  view.look = [perm](const Value& base) { return voxport::transpose(base, perm); };
  view.put = [back](const Value&, const Value& part) { return voxport::transpose(part, back); };
  return call.view("self", std::move(view), is_same);
}

// All axes in order, but for two that change places.
std::vector<std::int64_t> swapped_axes(std::size_t rank, std::int64_t a, std::int64_t b) {
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rank); ++i)
    axes.push_back(i == a ? b : i == b ? a : i);
  return axes;
}

// The target of a reshape as ONNX says it best: 0 for what stays, -1 for the one size that is not
// known, so that the shape is a constant wherever it can be.
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

// Sizes that the program has as numbers where the tensor's are free.
void note_frozen_reshape(const Call& call, const Value& x, const std::vector<Number>& sizes) {
  Dim target = 1;
  for (const Number& size : sizes) {
    if (size.as_int().value_or(1) < 1) return;
    target = target * size.dim();
  }
  const Dim whole = numel(x.shape());
  if (target == whole) return;
  for (const Dim& dim : x.shape()) {
    if (dim.is_constant() || target == Dim(0)) continue;
    const Dim held = floor_div(target, floor_div(whole, dim));
    if (held.is_constant()) call.lowering().note_frozen(dim, *held.constant());
  }
}

Value reshaped(const Call& call, const Value& x, const std::vector<Number>& sizes) {
  note_frozen_reshape(call, x, sizes);
  if (const Value target = reshape_target(x, sizes)) return reshape(x, target);
  const bool has_zero =
      std::ranges::any_of(sizes, [](const Number& size) { return size.as_int() == 0; });
  Attributes attributes;
  if (has_zero) attributes.emplace_back("allowzero", std::int64_t{1});
  return Builder(x.graph()).node("Reshape", {x, call.sizes(sizes)}, std::move(attributes));
}

// The part [start, end) of an axis put back between what lies before and after it.
Value put_slice(const Value& base, const Value& part, std::int64_t axis, const Value& start,
                const Value& end) {
  Builder g(base.graph());
  const Value before = voxport::slice(base, axis, g.int64s({0}), start);
  const Value after = voxport::slice(base, axis, end, g.int64s({kToTheEnd}));
  return concat({before, part, after}, axis);
}

// Parts that are not neighbours, by their indices (int64, rank 1).
Value put_at(const Value& base, const Value& part, std::int64_t axis, const Value& indices) {
  Builder g(base.graph());
  const std::vector<std::int64_t> perm = swapped_axes(base.rank(), 0, axis);
  const Value scattered =
      g.node("ScatterND", {voxport::transpose(base, perm), voxport::unsqueeze(indices, {1}),
                           voxport::transpose(part, perm)});
  return voxport::transpose(scattered, perm);
}

}  // namespace

Item same(const Call& call, Builder&) { return call.at(0); }

// aten.contiguous(Tensor self, *, MemoryFormat memory_format=contiguous_format) -> Tensor
Item contiguous(const Call& call, Builder&) {
  const TensorCell* cell = call.item("self").cell();
  if (cell && cell->is_contiguous) return call.same("self");
  return call.tensor("self");
}

// aten.view(Tensor self, SymInt[] size) -> Tensor
// aten.reshape(Tensor self, SymInt[] shape) -> Tensor
Item reshape_view(const Call& call, Builder&) {
  const bool is_reshape = call.name() == "aten.reshape";
  const std::vector<Number> sizes = call.numbers(is_reshape ? "shape" : "size");
  const TensorCell* cell = call.item("self").cell();
  if (is_reshape && cell && !cell->is_contiguous) {
    Item copy = reshaped(call, call.tensor("self"), sizes);
    copy.cell()->is_maybe_view = true;
    return copy;
  }
  return in_order(call, [call, sizes](const Value& base) { return reshaped(call, base, sizes); });
}

// aten.flatten.using_ints(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor
Item flatten(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  if (x.rank() == 0) return in_order(call, [](const Value& base) { return reshape(base, {1}); });
  const std::int64_t start = call.axis("start_dim", x.rank());
  const std::int64_t end = call.axis("end_dim", x.rank());
  if (start == end) return call.same("self");
  std::vector<std::int64_t> target;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.rank()); ++i) {
    if (i < start) target.push_back(0);
    if (i == start) target.push_back(-1);
    if (i <= end) continue;
    const auto size = x.dim(i).constant();
    if (!size) break;
    target.push_back(*size);
  }
  const std::size_t rank = x.rank() - static_cast<std::size_t>(end - start);
  if (target.size() == rank)
    return in_order(call, [target](const Value& base) { return reshape(base, target); });
  return in_order(call, [start, end](const Value& base) {
    Builder g(base.graph());
    const Value shape = shape_of(base);
    const Value head = voxport::slice(shape, 0, 0, start);
    const Value tail = voxport::slice(shape, 0, end + 1, kToTheEnd);
    return reshape(base, concat({head, g.int64s({-1}), tail}, 0));
  });
}

// aten.permute(Tensor self, int[] dims) -> Tensor
Item permute(const Call& call, Builder&) {
  const std::size_t rank = call.tensor("self").rank();
  std::vector<std::int64_t> perm;
  for (const std::int64_t axis : call.integers("dims"))
    perm.push_back(static_cast<std::int64_t>(axis_index(axis, rank)));
  return permuted_view(call, std::move(perm));
}

// aten.transpose.int(Tensor self, int dim0, int dim1) -> Tensor
Item transpose(const Call& call, Builder&) {
  const std::size_t rank = call.tensor("self").rank();
  if (rank == 0) return call.same("self");
  return permuted_view(call, swapped_axes(rank, call.axis("dim0", rank), call.axis("dim1", rank)));
}

// aten.t(Tensor self) -> Tensor
Item t(const Call& call, Builder&) {
  const std::size_t rank = call.tensor("self").rank();
  if (rank > 2) call.refuse("a tensor of rank ", rank, " has no transpose, expected a matrix");
  return rank < 2 ? call.same("self") : permuted_view(call, {1, 0});
}

// aten.unsqueeze(Tensor self, int dim) -> Tensor
Item unsqueeze(const Call& call, Builder&) {
  const std::size_t rank = call.tensor("self").rank();
  const std::int64_t axis = call.axis("dim", rank + 1);
  return in_order(call, [axis](const Value& base) { return voxport::unsqueeze(base, {axis}); });
}

// aten.expand(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor
Item expand_view(const Call& call, Builder&) {
  std::vector<Number> sizes = call.numbers("size");
  const Value x = call.tensor("self");
  Shape target;
  for (Number& size : sizes) {
    if (size.as_int() == -1) size = Number::of_int(1);  // stays as it is
    target.push_back(size.dim());
  }
  call.lowering().note_frozen(x.shape(), target);
  View view;  // its elements share memory: there is no writing to them
  view.look = [call, sizes](const Value& base) { return expand(base, call.sizes(sizes)); };
  return call.view("self", std::move(view), false);
}

// aten.select.int(Tensor self, int dim, SymInt index) -> Tensor
Item select(const Call& call, Builder&) {
  const std::int64_t axis = call.axis("dim", call.tensor("self").rank());
  const Number index = call.number("index");
  View view;
  view.look = [call, axis, index](const Value& base) {
    return gather(base, call.lowering().value_of(index), axis);
  };
  view.put = [call, axis, index](const Value& base, const Value& part) {
    const Value at = call.sizes({index});
    const Value size = voxport::size(base, axis);
    Builder g(base.graph());
    const Value start = g.node("Mod", {at, size});  // counted from the start
    return put_slice(base, voxport::unsqueeze(part, {axis}), axis, start, start + g.int64s({1}));
  };
  return call.view("self", std::move(view), axis == 0);
}

// aten.slice.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1)
//   -> Tensor
Item slice(const Call& call, Builder&) {
  const std::int64_t axis = call.axis("dim", call.tensor("self").rank());
  const std::int64_t step = call.integer("step");
  const Number start = call.has("start") ? call.number("start") : Number::of_int(0);
  const Number end = call.has("end") ? call.number("end") : Number::of_int(kToTheEnd);
  if (step == 1 && start.as_int() == 0 && end.as_int() == kToTheEnd) return call.same("self");
  View view;
  view.look = [=](const Value& base) {
    Builder g(base.graph());
    return g.node("Slice", {base, call.sizes({start}), call.sizes({end}), g.int64s({axis}),
                            g.int64s({step})});
  };
  view.put = [=](const Value& base, const Value& part) {
    Builder g(base.graph());
    const Value all = range(voxport::size(base, axis));
    const Value indices = g.node(
        "Slice", {all, call.sizes({start}), call.sizes({end}), g.int64s({0}), g.int64s({step})});
    return put_at(base, part, axis, indices);
  };
  return call.view("self", std::move(view), axis == 0 && step == 1);
}

}  // namespace voxport::ops
