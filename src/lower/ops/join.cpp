// Tensors put together, repeated, and with their elements in another order.
#include "lower/arithmetic.h"
#include "lower/ops/ops.h"
#include "lower/ops/parts.h"

namespace voxport::ops {
namespace {

constexpr std::int64_t kBackToTheStart = std::numeric_limits<std::int64_t>::min();

// The tensors of a list in the type that holds them all.
std::vector<Value> joinable(const Call& call) {
  std::vector<Value> tensors = call.tensors("tensors");
  if (tensors.empty()) call.refuse("there is nothing to join: the list is empty");
  const std::vector<Item> items(tensors.begin(), tensors.end());
  const DType dtype = result_type(items);
  for (Value& tensor : tensors)
    if (tensor.dtype() != dtype) tensor = cast(tensor, dtype);
  return tensors;
}

// An old habit of PyTorch: an empty tensor of one axis may be joined to anything.
std::vector<Value> without_empty(const std::vector<Value>& tensors) {
  std::vector<Value> full;
  for (const Value& tensor : tensors)
    if (tensor.rank() != 1 || tensor.dim(0) != Dim(0)) full.push_back(tensor);
  return full.empty() ? std::vector<Value>{tensors.front()} : full;
}

Value joined(const Call& call, const std::vector<Value>& all, std::int64_t dim) {
  const std::vector<Value> tensors = without_empty(all);
  const auto axis = static_cast<std::int64_t>(axis_index(dim, tensors[0].rank()));
  for (const Value& tensor : tensors) {
    if (tensor.rank() != tensors[0].rank())
      call.refuse("it joins tensors of rank ", tensors[0].rank(), " and ", tensor.rank());
    Shape shape = tensor.shape();
    shape[static_cast<std::size_t>(axis)] = tensors[0].dim(axis);
    call.walk().note_fixed(tensors[0].shape(), shape);
  }
  return tensors.size() == 1 ? tensors[0] : concat(tensors, axis);
}

// What a loop of the graph stacked along a new first axis; absent for every other list.
Value stacked_by_loop(const Call& call) {
  const Container* list = call.item("tensors").container();
  return list && list->stacked ? call.scopes().here(list->stacked) : Value();
}

// The parts of a list that got them in so many rounds, joined. PyTorch fails where there are none;
// so does the run, where nothing would be expanded to a size of 2.
Value not_empty(const Call& call, const Value& joined, std::int64_t axis, const Number& rounds) {
  Scopes& scopes = call.scopes();
  const Number missing = compute(scopes, Arithmetic::kMax, Number::of_int(0),
                                 compute(scopes, Arithmetic::kSub, Number::of_int(1), rounds));
  std::vector<Number> sizes = size_numbers(call, joined);
  Number& size = sizes[static_cast<std::size_t>(axis)];
  size = compute(scopes, Arithmetic::kAdd, size,
                 compute(scopes, Arithmetic::kMul, Number::of_int(2), missing));
  return expand(joined, call.sizes(sizes));
}

// [n, ..., d, ...] -> [..., n * d, ...]
Value cat_stacked(const Call& call, const Value& stacked) {
  const Container& list = *call.item("tensors").container();
  const std::int64_t axis = call.axis("dim", stacked.rank() - (list.joined_along ? 0 : 1));
  if (list.joined_along == axis)
    return list.rounds ? not_empty(call, stacked, axis, *list.rounds) : stacked;
  if (list.parts_may_differ) {
    if (!list.joined_along) call.memory().note_joined(list, axis);
    call.refuse("it joins tensors that may differ in shape, from a list that grows in the run");
  }
  std::vector<std::int64_t> perm = to_front(stacked.rank(), {});
  perm.erase(perm.begin());
  perm.insert(perm.begin() + axis, 0);
  const Value turned = permuted(stacked, perm);
  return reshape(turned, shape_with(turned, axis, axis + 2, int64s(turned, {-1})));
}

// The sizes of [..., c, h, w].
std::vector<Number> image_sizes(const Call& call, const Value& x) {
  if (x.rank() < 3) call.refuse("its input has ", x.rank(), " axes, expected 3 or more");
  return size_numbers(call, x);
}

Value flipped(const Value& x, std::vector<std::int64_t> axes) {
  // What has no order stays, and ONNX takes one element of an axis without any.
  if (x.rank() == 0) return x;
  std::erase_if(axes, [&](std::int64_t axis) { return x.dim(axis).constant().value_or(2) < 2; });
  if (axes.empty()) return x;
  Builder g(x.graph());
  const std::size_t n = axes.size();
  return g.node("Slice", {x, g.int64s(std::vector<std::int64_t>(n, -1)),
                          g.int64s(std::vector<std::int64_t>(n, kBackToTheStart)), g.int64s(axes),
                          g.int64s(std::vector<std::int64_t>(n, -1))});
}

// Tile with as many repeats as there are axes, new ones first.
Value repeated(const Call& call, const Value& x, std::vector<Number> repeats) {
  Value whole = x;
  if (repeats.size() < x.rank())
    repeats.insert(repeats.begin(), x.rank() - repeats.size(), Number::of_int(1));
  if (repeats.size() > x.rank()) {
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < repeats.size() - x.rank(); ++i)
      axes.push_back(static_cast<std::int64_t>(i));
    whole = voxport::unsqueeze(x, axes);
  }
  const auto is_one = [](const Number& number) { return number.as_int() == 1; };
  if (std::ranges::all_of(repeats, is_one)) return whole;
  return Builder(x.graph()).node("Tile", {whole, call.sizes(repeats)});
}

Value rolled(const Value& x, std::int64_t axis, const Number& shift, const Call& call) {
  Builder g(x.graph());
  const auto size = x.dim(axis).constant();
  const auto by = shift.as_int();
  if (size && by) {
    if (*size == 0 || *by % *size == 0) return x;
    const std::int64_t first = ((-*by % *size) + *size) % *size;
    return concat({voxport::slice(x, axis, first, kToTheEnd), voxport::slice(x, axis, 0, first)},
                  axis);
  }
  const Value length = voxport::size(x, axis);
  const Value indices = g.node("Mod", {range(length) - call.sizes({shift}), length});
  return gather(x, indices, axis);
}

// The tensors, each along an axis of its own, and all of the shape that these make.
std::vector<Value> grid(const Call& call, const std::vector<Value>& tensors) {
  std::vector<Number> sizes;
  sizes.reserve(tensors.size());
  for (const Value& x : tensors)
    sizes.push_back(x.rank() == 0 ? Number::of_int(1) : size_number(call, x, 0));
  const Value shape = call.sizes(sizes);
  std::vector<Value> grids;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    std::vector<std::int64_t> target(tensors.size(), 1);
    target[i] = -1;
    grids.push_back(expand(reshape(tensors[i], target), shape));
  }
  return grids;
}

// [..., l] -> [..., n, n], zero but for one diagonal.
Value with_diagonal(const Call& call, const Value& x, std::int64_t offset, Builder& g) {
  const std::int64_t last = rank_of(x) - 1;
  const std::int64_t shift = offset < 0 ? -offset : offset;
  const Number size =
      compute(call.scopes(), Arithmetic::kAdd, size_number(call, x, last), Number::of_int(shift));
  const Value all = range(call.sizes({size}));
  const Value columns = voxport::unsqueeze(all, {0});
  const Value rows = voxport::unsqueeze(all, {1});
  const Value mask = g.node("Equal", {rows + g.int64(offset), columns});
  // Above the main diagonal the row is the number of the element, below it the column.
  const Value padded = shift == 0 ? x : pad(x, last, 0, shift);
  const Value spread = voxport::unsqueeze(padded, {offset < 0 ? last : last + 1});
  return choose(mask, spread, g.scalar(0, x.dtype()));
}

}  // namespace

// aten.cat(Tensor[] tensors, int dim=0) -> Tensor
Item cat_tensors(const Call& call, Builder&) {
  if (const Value stacked = stacked_by_loop(call)) return cat_stacked(call, stacked);
  return joined(call, joinable(call), call.integer("dim"));
}

// aten.stack(Tensor[] tensors, int dim=0) -> Tensor
Item stack(const Call& call, Builder&) {
  if (const Value stacked = stacked_by_loop(call)) {
    const std::int64_t axis = call.axis("dim", stacked.rank());
    std::vector<std::int64_t> perm = to_front(stacked.rank(), {});
    perm.erase(perm.begin());
    perm.insert(perm.begin() + axis, 0);
    return permuted(stacked, perm);
  }
  std::vector<Value> tensors = joinable(call);
  const std::int64_t axis = call.axis("dim", tensors[0].rank() + 1);
  for (Value& tensor : tensors) tensor = voxport::unsqueeze(tensor, {axis});
  return tensors.size() == 1 ? tensors[0] : concat(std::move(tensors), axis);
}

// aten.hstack(Tensor[] tensors) -> Tensor
Item hstack(const Call& call, Builder&) {
  std::vector<Value> tensors = joinable(call);
  for (Value& tensor : tensors) tensor = at_least(tensor, 1);
  return joined(call, tensors, tensors[0].rank() == 1 ? 0 : 1);
}

// aten.vstack(Tensor[] tensors) -> Tensor
Item vstack(const Call& call, Builder&) {
  std::vector<Value> tensors = joinable(call);
  for (Value& tensor : tensors) tensor = at_least(tensor, 2);
  return joined(call, tensors, 0);
}

// aten.dstack(Tensor[] tensors) -> Tensor
Item dstack(const Call& call, Builder&) {
  std::vector<Value> tensors = joinable(call);
  for (Value& tensor : tensors) tensor = at_least(tensor, 3);
  return joined(call, tensors, 2);
}

// aten.column_stack(Tensor[] tensors) -> Tensor
Item column_stack(const Call& call, Builder&) {
  std::vector<Value> tensors = joinable(call);
  for (Value& tensor : tensors)
    if (tensor.rank() < 2) tensor = reshape(tensor, std::vector<std::int64_t>{-1, 1});
  return joined(call, tensors, 1);
}

// aten.block_diag(Tensor[] tensors) -> Tensor
Item block_diag(const Call& call, Builder& g) {
  Scopes& scopes = call.scopes();
  const Number none = Number::of_int(0);
  std::vector<Value> blocks = joinable(call);
  Number width = none;
  for (Value& block : blocks) {
    block = at_least(block, 2);
    width = compute(scopes, Arithmetic::kAdd, width, size_number(call, block, 1));
  }
  Number left = none;
  for (Value& block : blocks) {
    const Number end = compute(scopes, Arithmetic::kAdd, left, size_number(call, block, 1));
    const Number right = compute(scopes, Arithmetic::kSub, width, end);
    block = g.node("Pad", {block, call.sizes({none, left, none, right})});
    left = end;
  }
  return joined(call, blocks, 0);
}

// aten.meshgrid(Tensor[] tensors) -> Tensor[]
// aten.meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]
Item meshgrid(const Call& call, Builder&) {
  std::vector<Value> tensors = call.tensors("tensors");
  const bool swaps = call.has("indexing") && call.text("indexing") == "xy" && tensors.size() >= 2;
  if (swaps) std::swap(tensors[0], tensors[1]);
  std::vector<Value> grids = grid(call, tensors);
  if (swaps) std::swap(grids[0], grids[1]);
  return Item::list({grids.begin(), grids.end()});
}

// aten.cartesian_prod(Tensor[] tensors) -> Tensor
Item cartesian_prod(const Call& call, Builder&) {
  const std::vector<Value> tensors = joinable(call);
  if (tensors.size() == 1) return tensors[0];
  std::vector<Value> columns = grid(call, tensors);
  for (Value& column : columns) column = reshape(column, std::vector<std::int64_t>{-1, 1});
  return concat(std::move(columns), 1);
}

// aten.repeat(Tensor self, SymInt[] repeats) -> Tensor
// aten.tile(Tensor self, SymInt[] dims) -> Tensor
Item repeat(const Call& call, Builder&) {
  return repeated(call, call.tensor("self"), call.numbers(call.arguments()[1].first));
}

// aten.flip(Tensor self, int[] dims) -> Tensor
Item flip(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  return flipped(x, call.axes("dims", seen_rank(call), false));
}

// aten.fliplr(Tensor self) -> Tensor
Item fliplr(const Call& call, Builder&) { return flipped(call.tensor("self"), {1}); }
// aten.flipud(Tensor self) -> Tensor
Item flipud(const Call& call, Builder&) { return flipped(call.tensor("self"), {0}); }

// aten.rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor
Item rot90(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  std::vector<std::int64_t> axes;
  for (const std::int64_t axis : call.integers("dims"))
    axes.push_back(static_cast<std::int64_t>(axis_index(axis, x.rank())));
  if (axes.size() != 2) call.refuse("it turns ", axes.size(), " axes, expected 2");
  const std::int64_t turns = ((call.integer("k") % 4) + 4) % 4;
  if (turns == 0) return x;
  if (turns == 2) return flipped(x, axes);
  return permuted(flipped(x, {axes[turns == 1 ? 1 : 0]}), swapped_axes(x.rank(), axes[0], axes[1]));
}

// aten.roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor
Item roll(const Call& call, Builder&) {
  Value x = call.tensor("self");
  const std::vector<Number> shifts = call.numbers("shifts");
  const std::vector<std::int64_t> axes = call.integers("dims");
  if (axes.empty() && shifts.size() == 1)
    return reshape(rolled(flattened(x), 0, shifts[0], call), shape_of(x));
  if (axes.size() != shifts.size())
    call.refuse("it has ", shifts.size(), " shifts for ", axes.size(), " axes");
  for (std::size_t i = 0; i < axes.size(); ++i)
    x = rolled(x, static_cast<std::int64_t>(axis_index(axes[i], seen_rank(call))), shifts[i], call);
  return x;
}

// aten.pixel_shuffle(Tensor self, int upscale_factor) -> Tensor
// [..., c * r * r, h, w] -> [..., c, h * r, w * r]
Item pixel_shuffle(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const Number r = call.number("upscale_factor");
  const std::vector<Number> sizes = image_sizes(call, x);
  const std::size_t lead = sizes.size() - 3;
  const auto of = [&](Arithmetic what, const Number& a, const Number& b) {
    return compute(call.scopes(), what, a, b);
  };
  const Number c = of(Arithmetic::kFloorDiv, sizes[lead], of(Arithmetic::kMul, r, r));
  std::vector<Number> apart(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(lead));
  std::vector<Number> whole = apart;
  apart.insert(apart.end(), {c, r, r, sizes[lead + 1], sizes[lead + 2]});
  whole.insert(whole.end(), {c, of(Arithmetic::kMul, sizes[lead + 1], r),
                             of(Arithmetic::kMul, sizes[lead + 2], r)});
  std::vector<std::int64_t> perm = to_front(lead, {});
  for (const std::int64_t axis : {0, 3, 1, 4, 2})  // c, h, r, w, r
    perm.push_back(static_cast<std::int64_t>(lead) + axis);
  return reshaped(call, permuted(reshaped(call, x, apart), perm), whole);
}

// aten.pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor
// [..., c, h * r, w * r] -> [..., c * r * r, h, w]
Item pixel_unshuffle(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const Number r = call.number("downscale_factor");
  const std::vector<Number> sizes = image_sizes(call, x);
  const std::size_t lead = sizes.size() - 3;
  const auto of = [&](Arithmetic what, const Number& a, const Number& b) {
    return compute(call.scopes(), what, a, b);
  };
  const Number h = of(Arithmetic::kFloorDiv, sizes[lead + 1], r);
  const Number w = of(Arithmetic::kFloorDiv, sizes[lead + 2], r);
  std::vector<Number> apart(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(lead));
  std::vector<Number> whole = apart;
  apart.insert(apart.end(), {sizes[lead], h, r, w, r});
  whole.insert(whole.end(), {of(Arithmetic::kMul, sizes[lead], of(Arithmetic::kMul, r, r)), h, w});
  std::vector<std::int64_t> perm = to_front(lead, {});
  for (const std::int64_t axis : {0, 2, 4, 1, 3})  // c, r, r, h, w
    perm.push_back(static_cast<std::int64_t>(lead) + axis);
  return reshaped(call, permuted(reshaped(call, x, apart), perm), whole);
}

// aten.channel_shuffle(Tensor self, SymInt groups) -> Tensor
// [b, g * c, ...] -> [b, c * g, ...]
Item channel_shuffle(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const std::vector<Number> sizes = size_numbers(call, x);
  const Number groups = call.number("groups");
  if (sizes.size() < 2) call.refuse("it shuffles the channels of a tensor that has none");
  std::vector<Number> apart = sizes;
  apart[1] = compute(call.scopes(), Arithmetic::kFloorDiv, sizes[1], groups);
  apart.insert(apart.begin() + 1, groups);
  const Value turned = permuted(reshaped(call, x, apart), swapped_axes(apart.size(), 1, 2));
  return reshaped(call, turned, sizes);
}

// aten.diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor
Item diag_embed(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  const auto rank = static_cast<std::int64_t>(x.rank()) + 1;
  const Value matrix = with_diagonal(call, x, call.integer("offset"), g);
  const std::int64_t dim1 = call.axis("dim1", x.rank() + 1);
  const std::int64_t dim2 = call.axis("dim2", x.rank() + 1);
  if (dim1 == dim2) call.refuse("both axes of the diagonal are ", dim1);
  std::vector<std::int64_t> perm;
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < rank; ++i)
    perm.push_back(i == dim1 ? rank - 2 : i == dim2 ? rank - 1 : next++);
  return permuted(matrix, perm);
}

// aten.diagflat(Tensor self, int offset=0) -> Tensor
Item diagflat(const Call& call, Builder& g) {
  return with_diagonal(call, flattened(call.tensor("self")), call.integer("offset"), g);
}

// aten.diag(Tensor self, int diagonal=0) -> Tensor
Item diag(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  const std::int64_t offset = call.integer("diagonal");
  if (x.rank() == 1) return with_diagonal(call, x, offset, g);
  if (x.rank() != 2) call.refuse("a tensor of rank ", x.rank(), " is not a matrix");
  return diagonal_view(call, offset, 0, 1).look(x);
}

}  // namespace voxport::ops
