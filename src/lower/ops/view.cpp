// Views: other ways to look at the elements of a tensor. Each can be looked through and written to.
#include <cstdint>
#include <memory>

#include "lower/arithmetic.h"
#include "lower/ops/ops.h"
#include "lower/ops/parts.h"

namespace voxport::ops {
namespace {

using Look = std::function<Value(const Value&)>;

// The same elements in the same order: what is written goes back by the base's shape.
View in_order_view(Look look) {
  View view;
  view.look = std::move(look);
  view.put = [](const Value& base, const Value& part) { return reshape(part, shape_of(base)); };
  return view;
}

Item in_order(const Call& call, Look look) {
  return call.view("self", in_order_view(std::move(look)), true);
}

// The same for operators that copy where strides forbid a view.
Item in_order_or_copy(const Call& call, Look look) {
  Item result = in_order(call, std::move(look));
  TensorCell* cell = result.cell();
  cell->is_maybe_view = !cell->is_contiguous;
  return result;
}

// Sizes of a view, with the axis of a complex tensor that the program does not see.
std::vector<Number> with_hidden(const Call& call, std::vector<Number> sizes) {
  const TensorCell* cell = call.item("self").cell();
  if (cell && cell->is_complex) sizes.push_back(Number::of_int(2));
  return sizes;
}

Look reshape_to(const Call& call, const std::vector<Number>& sizes) {
  return [call, all = with_hidden(call, sizes)](const Value& base) {
    return reshaped(call, base, all);
  };
}

// Elements stay in order where only axes of size 1 change places.
bool keeps_order(const Value& x, const std::vector<std::int64_t>& perm) {
  std::vector<std::int64_t> long_ones;
  for (const std::int64_t axis : perm)
    if (x.dim(axis) != Dim(1)) long_ones.push_back(axis);
  return std::ranges::is_sorted(long_ones);
}

Item permuted_view(const Call& call, std::vector<std::int64_t> perm) {
  const Value x = call.tensor("self");
  if (perm.size() < x.rank() && perm.size() == seen_rank(call))
    perm.push_back(static_cast<std::int64_t>(perm.size()));
  if (perm.size() != x.rank())
    call.refuse("it names ", perm.size(), " axes of a tensor that has ", x.rank());
  View view;
  view.look = [perm](const Value& base) { return permuted(base, perm); };
  view.put = [back = inverse(perm)](const Value&, const Value& part) {
    return permuted(part, back);
  };
  return call.view("self", std::move(view), keeps_order(x, perm));
}

// A part of an axis is without gaps where nothing but sizes of 1 comes before it.
bool is_first(const Value& x, std::int64_t axis) {
  return std::all_of(x.shape().begin(), x.shape().begin() + axis,
                     [](const Dim& dim) { return dim == Dim(1); });
}

Item slice_of(const Call& call, std::int64_t axis, const Number& start, const Number& end,
              const Number& step = Number::of_int(1)) {
  return call.view("self", slice_view(call, axis, start, end, step),
                   step.as_int() == 1 && is_first(call.tensor("self"), axis));
}

// Whether a size is known at run time only: it does not follow from the sizes of inputs.
bool is_unknown(const Call& call, const Dim& size) {
  const auto is_of_input = [&](const std::string& symbol) {
    return std::ranges::any_of(call.scopes().main().inputs(), [&](const Value& input) {
      return std::ranges::any_of(input.shape(), [&](const Dim& dim) {
        const std::vector<std::string> symbols = dim.symbols();
        return std::ranges::find(symbols, symbol) != symbols.end();
      });
    });
  };
  return !std::ranges::all_of(size.symbols(), is_of_input);
}

// Whether aten.squeeze removes an axis that it names. See LowerOptions::removes_unknown_axes.
bool removes_unknown(const Call& call, const Dim& size) {
  if (!call.has("dim") || !is_unknown(call, size)) return false;
  if (call.walk().removes_unknown_axes())
    call.walk().note_removed(size);
  else
    call.walk().note_unknown_kept();
  return call.walk().removes_unknown_axes();
}

Item squeezed(const Call& call, const std::vector<std::int64_t>& axes) {
  const Value x = call.tensor("self");
  std::vector<std::int64_t> ones;
  for (const std::int64_t axis : axes) {
    if (x.rank() == 0) continue;
    if (x.dim(axis) == Dim(1) || removes_unknown(call, x.dim(axis)))
      ones.push_back(axis);
    else if (const auto name = x.dim(axis).symbol_name())
      call.walk().note_kept(*name);
  }
  if (ones.empty()) return call.same("self");
  return in_order(call, [ones](const Value& base) { return voxport::squeeze(base, ones); });
}

Item expanded(const Call& call, std::vector<Number> sizes) {
  const Value x = call.tensor("self");
  if (x.rank() > seen_rank(call)) sizes.push_back(Number::of_int(-1));
  if (sizes.size() < x.rank())
    call.refuse("it expands a tensor of rank ", x.rank(), " to rank ", sizes.size());
  Shape target;
  bool changes = sizes.size() > x.rank();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool stays = sizes[i].as_int() == -1;
    changes = changes || (!stays && sizes[i].dim() != x.shape()[i]);
    if (stays) sizes[i] = Number::of_int(1);
    target.push_back(sizes[i].dim());
  }
  if (!changes) return call.same("self");
  call.walk().note_fixed(x.shape(), target);
  View view;  // its elements share memory: it cannot be written to
  view.look = [call, sizes](const Value& base) { return expand(base, call.sizes(sizes)); };
  return call.view("self", std::move(view), false);
}

// What tensors broadcast to: an axis of size 1 gives way to any other.
std::vector<Number> broadcast_sizes(const Call& call, const std::vector<Value>& tensors) {
  std::size_t rank = 0;
  for (const Value& x : tensors) rank = std::max(rank, x.rank());
  std::vector<Number> sizes(rank, Number::of_int(1));
  for (const Value& x : tensors) {
    const std::size_t lead = rank - x.rank();
    for (std::size_t i = 0; i < x.rank(); ++i) {
      const Number size = size_number(call, x, static_cast<std::int64_t>(i));
      const bool are_unlike =
          !size.as_int() && !sizes[lead + i].as_int() && size.dim() != sizes[lead + i].dim();
      if (are_unlike)  // which of them is 1 is known at run time
        sizes[lead + i] = compute(call.scopes(), Arithmetic::kMax, sizes[lead + i], size);
      else if (sizes[lead + i].as_int() == 1 || size.as_int().value_or(1) != 1)
        sizes[lead + i] = size;
    }
  }
  return sizes;
}

// Axes that go to other places; the rest fill what is left, in order.
std::vector<std::int64_t> moved(const Call& call, const std::vector<std::int64_t>& from,
                                const std::vector<std::int64_t>& to) {
  const std::size_t rank = seen_rank(call);
  if (from.size() != to.size())
    call.refuse("it moves ", from.size(), " axes to ", to.size(), " places");
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> perm(rank, -1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    sources.push_back(static_cast<std::int64_t>(axis_index(from[i], rank)));
    perm[axis_index(to[i], rank)] = sources.back();
  }
  std::vector<std::int64_t> rest = to_front(rank, sources);
  auto next = rest.begin() + static_cast<std::ptrdiff_t>(sources.size());
  for (std::int64_t& axis : perm)
    if (axis < 0) axis = *next++;
  return perm;
}

Number plus(const Call& call, const Number& a, const Number& b) {
  return compute(call.scopes(), Arithmetic::kAdd, a, b);
}

Number minus(const Call& call, const Number& a, const Number& b) {
  return compute(call.scopes(), Arithmetic::kSub, a, b);
}

Number times(const Call& call, const Number& a, std::int64_t b) {
  return compute(call.scopes(), Arithmetic::kMul, a, Number::of_int(b));
}

void note_fixed_by_parts(const Call& call, const Value& x, std::int64_t axis,
                         const std::vector<Number>& sizes) {
  if (x.dim(axis).is_constant()) return;
  std::int64_t sum = 0;
  for (const Number& size : sizes) {
    if (!size.as_int()) return;
    sum += *size.as_int();
  }
  call.walk().note_fixed(x.dim(axis), sum);
}

// All of an axis in parts of these sizes, each a view. One Split gives them, until there is a
// write.
Item parts_of(const Call& call, std::int64_t axis, const std::vector<Number>& sizes) {
  const Value x = call.tensor("self");
  note_fixed_by_parts(call, x, axis, sizes);
  if (sizes.size() == 1) return Item::list({call.same("self")});
  const std::vector<Value> parts =
      Builder(x.graph()).nodes("Split", {x, call.sizes(sizes)}, {{"axis", axis}}, sizes.size());
  std::vector<Item> items;
  Number start = Number::of_int(0);
  auto part = parts.begin();
  for (const Number& size : sizes) {
    const Number end = plus(call, start, size);
    View view = slice_view(call, axis, start, end, Number::of_int(1));
    view.look = [x, part = *part++, slice = view.look](const Value& base) {
      return base == x ? part : slice(base);
    };
    items.push_back(call.view("self", std::move(view), is_first(x, axis)));
    start = end;
  }
  return Item::list(std::move(items));
}

// How many parts a program takes a list apart into, where it does so at once.
std::optional<std::int64_t> unpacked_count(const Call& call) {
  const ProgramCall& program_call = call.program_call();
  if (!program_call.unpacks && program_call.results.size() < 2) return std::nullopt;
  return static_cast<std::int64_t>(program_call.results.size());
}

// The size of the last part. Were it none of 1 to `size`, PyTorch would make another number of
// parts than the program takes: it is then made such that a Split by it fails in the run.
Number last_part(const Call& call, const Number& size, const Number& rest) {
  if (rest.as_int() || rest.dim() == size.dim()) return rest;
  Scopes& scopes = call.scopes();
  const Number most = compute(scopes, Arithmetic::kMin, size, rest);
  const Number within = compute(scopes, Arithmetic::kMax, Number::of_int(1), most);
  const Value part = scopes.value_of(within);
  scopes.graph().declare_elements(part, {rest.dim()});
  return Number::of_value(part, Number::Kind::kInt, rest.dim());
}

// `count` parts of a size, the last of what is left over.
std::vector<Number> equal_parts(const Call& call, const Number& whole, const Number& size,
                                std::int64_t count) {
  std::vector<Number> sizes(static_cast<std::size_t>(count), size);
  sizes.back() = minus(call, whole, times(call, size, count - 1));
  return sizes;
}

// The size from which on chunk(count) makes so many parts: of 9 elements it makes three of 3 in
// place of four.
std::int64_t least_in_chunks(std::int64_t count) {
  const auto divide = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  std::int64_t size = count * count;
  while (size > 1 && divide(size - 1, divide(size - 1, count)) == count) --size;
  return size;
}

// A dynamic size in as many parts as the program takes, of which only the last may be smaller.
std::vector<Number> chunks(const Call& call, const Number& whole, const Number& size,
                           std::int64_t count) {
  std::vector<Number> sizes = equal_parts(call, whole, size, count);
  sizes.back() = last_part(call, size, sizes.back());
  constexpr std::int64_t kMany = 1 << 15;
  const Dim of_chunk = ceil_div(whole.dim(), Dim(count));
  if (count > 1 && count < kMany && size.dim() == of_chunk)
    call.walk().note_least(whole.dim(), least_in_chunks(count));
  return sizes;
}

Item split_by_size(const Call& call, std::int64_t axis, const Number& size) {
  const Number whole = size_number(call, call.tensor("self"), axis);
  if (size.as_int().value_or(1) <= 0) {
    if (whole.as_int() != 0) call.refuse("it splits into parts of size ", *size.as_int());
    return parts_of(call, axis, {whole});
  }
  std::optional<std::int64_t> count = ceil_div(whole.dim(), size.dim()).constant();
  if (!count) count = unpacked_count(call);
  if (!count)
    call.refuse("the number of parts depends on the dynamic size ", whole.dim().text(),
                "; chunk() makes a number of parts that is known");
  return parts_of(call, axis, chunks(call, whole, size, std::max<std::int64_t>(*count, 1)));
}

Item split_at(const Call& call, std::int64_t axis, const std::vector<Number>& indices) {
  std::vector<Item> items;
  Number start = Number::of_int(0);
  for (const Number& index : indices) {
    items.push_back(slice_of(call, axis, start, index));
    start = index;
  }
  items.push_back(slice_of(call, axis, start, Number::of_int(kToTheEnd)));
  return Item::list(std::move(items));
}

// Parts whose sizes differ by one at most, the larger ones first.
Item split_evenly(const Call& call, std::int64_t axis, std::int64_t count) {
  if (count < 1) call.refuse("it splits into ", count, " parts");
  const Number whole = size_number(call, call.tensor("self"), axis);
  std::vector<Number> sizes;
  for (std::int64_t i = 0; i < count; ++i)
    sizes.push_back(compute(call.scopes(), Arithmetic::kFloorDiv,
                            plus(call, whole, Number::of_int(count - 1 - i)),
                            Number::of_int(count)));
  return parts_of(call, axis, sizes);
}

Item split_on(const Call& call, std::int64_t axis) {
  if (axis >= std::ssize(call.tensor("self").shape()))
    call.refuse("it splits axis ", axis, " of a tensor of rank ", seen_rank(call));
  if (call.has("sections")) return split_evenly(call, axis, call.integer("sections"));
  return split_at(call, axis, call.numbers("indices"));
}

// The numbers from 0 on, `count` of them. PyTorch refuses a count below `least`, for which ONNX
// would give none: it becomes one above `least` here, so that there is no element at the places
// that follow.
Value counted(const Call& call, const Number& count, std::int64_t least) {
  if (count.is_constant()) return range(call.sizes({count}));
  const Number beyond = minus(call, count, Number::of_int(least));
  const Value size = Builder(call.scopes().graph()).node("Abs", {call.sizes({beyond})});
  call.scopes().graph().declare_elements(size, {beyond.dim()});
  return range(least == 0 ? size : size + int64s(size, {least}));
}

// Whether a view has all elements of the tensor that it is a view of in the end.
bool is_whole(const TensorCell& cell) {
  const TensorCell* root = &cell;
  while (root->base) root = root->base.get();
  return numel(root->value.shape()) == numel(cell.value.shape());
}

Dim row_major_stride(const Value& x, std::size_t axis) {
  return numel(Shape(x.shape().begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.shape().end()));
}

// What aten.as_strided takes out of the elements of a row-major tensor.
struct Strided {
  std::vector<Number> sizes, strides;
  Number offset = Number::of_int(0);

  explicit Strided(const Call& call)
      : sizes(call.numbers("size")), strides(call.numbers("stride")) {
    if (sizes.size() != strides.size())
      call.refuse("it is given ", sizes.size(), " sizes and ", strides.size(), " strides");
    if (call.has("storage_offset")) offset = call.number("storage_offset");
  }

  // Whether these are all elements in order.
  bool is_reshape(const Value& x) const {
    Dim step = 1;
    bool is_in_order = offset.as_int() == 0;
    for (std::size_t i = sizes.size(); is_in_order && i-- > 0;) {
      is_in_order = strides[i].dim() == step || sizes[i].as_int() == 1;
      step = step * sizes[i].dim();
    }
    return is_in_order && step == numel(x.shape());
  }

  // A trace has strides as numbers, those of its example. Where the tensor's own follow from
  // dynamic sizes, these are fixed: by the strides of axes that stay as they are, or else at the
  // sizes of the example, since a row of 10 in one of 11 is shifted, and another of 12 is, too.
  void note_fixed(const Call& call, const Value& x) const {
    for (std::size_t i = 0; i < x.rank(); ++i) {
      const Dim own = row_major_stride(x, i);
      if (is_baked_stay(x, i) && own.symbols().size() == 1)
        call.walk().note_fixed(own, *strides[i].as_int());
    }
    if (is_of_example(x))
      for (const std::string& symbol : symbols_of_example(x)) call.walk().note_example_size(symbol);
  }

  // How many of the first axes are those of the tensor. What lies behind one of them is then within
  // what the tensor has there, since the last one, too, has to end with the tensor.
  std::size_t common_axes(const Value& x) const {
    std::size_t count = 0;
    while (count + 1 < std::min(x.rank(), sizes.size()) && sizes[count].dim() == x.shape()[count] &&
           strides[count].dim() == row_major_stride(x, count))
      ++count;
    return count;
  }

  // Whether the axis is one of the tensor that stays, but for a stride that is a number. The last
  // but one does not have to, unless there are more axes than before.
  bool is_baked_stay(const Value& x, std::size_t axis) const {
    const std::size_t others = sizes.size() > x.rank() ? 1 : 2;
    return axis + others < x.rank() && axis < sizes.size() &&
           sizes[axis].dim() == x.shape()[axis] && strides[axis].as_int() &&
           !row_major_stride(x, axis).is_constant();
  }

  // Whether the strides were right for the example only: none of them follows from sizes that the
  // tensor's own follow from, or an axis that stays has another one.
  bool is_of_example(const Value& x) const {
    const std::size_t common = common_axes(x);
    bool is_any_baked = false;
    bool follows = false;  // from any size
    bool is_dynamic = false;
    for (std::size_t i = common; i < sizes.size(); ++i) follows |= !strides[i].as_int();
    for (std::size_t i = common; i + 1 < x.rank(); ++i) {
      is_dynamic |= !row_major_stride(x, i).is_constant();
      is_any_baked |= is_baked_stay(x, i);
    }
    return is_any_baked || (is_dynamic && !follows);
  }

  // The symbols that the strides follow from, and those of sizes that are gone.
  std::vector<std::string> symbols_of_example(const Value& x) const {
    const std::size_t common = common_axes(x);
    std::vector<std::string> symbols;
    for (std::size_t i = common; i < x.rank(); ++i) {
      const bool stays = i == common && i < sizes.size() && sizes[i].dim() == x.shape()[i];
      if (!stays) std::ranges::copy(x.shape()[i].symbols(), std::back_inserter(symbols));
    }
    return symbols;
  }

  Value of(const Call& call, const Value& x) const {
    const std::size_t common = common_axes(x);
    const auto axis = static_cast<std::int64_t>(common);
    Value places = call.sizes({offset});
    for (std::size_t i = common; i < sizes.size(); ++i)
      places =
          voxport::unsqueeze(places, {-1}) + counted(call, sizes[i], 0) * call.sizes({strides[i]});
    places = voxport::squeeze(places, {0});
    return gather(reshape(x, shape_with(x, axis, rank_of(x), int64s(x, {-1}))), places, axis);
  }
};

// A new tensor of each, that shares nothing.
Item copied(const Call& call, const Item& item) {
  if (item.is_tensor()) return call.memory().read(*item.cell());
  if (!item.container()) call.refuse("it copies ", item.kind_name(), ", expected a tensor");
  std::vector<Item> items;
  for (const Item& part : item.container()->items) items.push_back(copied(call, part));
  return Item::list(std::move(items));
}

}  // namespace

Item copy_of_view(const Call& call, Builder& g, LowerView lower) {
  const Item view = lower(call, g);
  const TensorCell* cell = view.cell();
  Item copy = copied(call, view);
  if (cell) copy.cell()->is_complex = cell->is_complex;
  return copy;
}

Item same(const Call& call, Builder&) { return call.at(0); }

// aten.contiguous(Tensor self, *, MemoryFormat memory_format=contiguous_format) -> Tensor
Item contiguous(const Call& call, Builder&) {
  const TensorCell* cell = call.item("self").cell();
  const bool is_row_major = call.integer_or_none("memory_format").value_or(0) == 0;
  if (cell && cell->is_contiguous) {
    if (cell->is_row_major && is_row_major) return call.same("self");
    Item seen = in_order(call, [](const Value& base) { return base; });
    seen.cell()->is_row_major = is_row_major;
    return seen;
  }
  Item copy = call.tensor("self");
  copy.cell()->is_complex = cell && cell->is_complex;
  return copy;
}

// aten.view(Tensor self, SymInt[] size) -> Tensor
// aten.view.dtype(Tensor self, ScalarType dtype) -> Tensor
// aten._reshape_alias(Tensor self, SymInt[] size, SymInt[] stride) -> Tensor
Item reshape_view(const Call& call, Builder&) {
  if (call.has("dtype")) {
    if (call.dtype("dtype") == call.tensor("self").dtype()) return call.same("self");
    call.refuse("it looks at the bytes of a tensor as another type");
  }
  return in_order(call, reshape_to(call, call.numbers("size")));
}

// aten.reshape(Tensor self, SymInt[] shape) -> Tensor
Item reshape(const Call& call, Builder&) {
  return in_order_or_copy(call, reshape_to(call, call.numbers("shape")));
}

// aten.view_as(Tensor self, Tensor other) -> Tensor
Item view_as(const Call& call, Builder&) {
  return in_order(call, reshape_to(call, size_numbers(call, call.tensor("other"))));
}

// aten.reshape_as(Tensor self, Tensor other) -> Tensor
Item reshape_as(const Call& call, Builder&) {
  return in_order_or_copy(call, reshape_to(call, size_numbers(call, call.tensor("other"))));
}

// aten.as_strided(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None)
//   -> Tensor
// Elements may be seen more than once, so they cannot be written to, unless it is a reshape.
Item as_strided(const Call& call, Builder&) {
  const Strided strided(call);
  const TensorCell* cell = call.item("self").cell();
  if (!cell || !cell->is_row_major)
    call.refuse(
        "it goes through the memory of a tensor that may not be row-major; call contiguous() "
        "before it");
  if (call.has("storage_offset") && !is_whole(*cell))
    call.refuse(
        "its storage_offset counts from the start of a tensor of which it is given a part; call "
        "clone() before it");
  strided.note_fixed(call, call.tensor("self"));
  if (strided.is_reshape(call.tensor("self")))
    return in_order(call, reshape_to(call, strided.sizes));
  View view;
  view.look = [call, strided](const Value& base) { return strided.of(call, base); };
  return call.view("self", std::move(view), false);
}

// aten.flatten.using_ints(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor
// aten.ravel(Tensor self) -> Tensor
Item flatten(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const std::size_t seen = seen_rank(call);
  if (seen == 0)
    return in_order(call, [](const Value& base) { return voxport::unsqueeze(base, {0}); });
  const std::int64_t start = call.has("start_dim") ? call.axis("start_dim", seen) : 0;
  const std::int64_t end =
      call.has("end_dim") ? call.axis("end_dim", seen) : static_cast<std::int64_t>(seen) - 1;
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
    return in_order_or_copy(call, [target](const Value& base) { return reshape(base, target); });
  return in_order_or_copy(call, [start, end](const Value& base) {
    return reshape(base, shape_with(base, start, end + 1, int64s(base, {-1})));
  });
}

// aten.unflatten.int(Tensor self, int dim, SymInt[] sizes) -> Tensor
Item unflatten(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  std::vector<Number> sizes = size_numbers(call, x);
  const std::vector<Number> parts = call.numbers("sizes");
  const auto at = sizes.begin() + call.axis("dim", seen_rank(call));
  sizes.insert(sizes.erase(at), parts.begin(), parts.end());
  return in_order(call, [call, sizes](const Value& base) { return reshaped(call, base, sizes); });
}

// aten.squeeze(Tensor self) -> Tensor
// aten.squeeze.dim(Tensor self, int dim) -> Tensor
// aten.squeeze.dims(Tensor self, int[] dim) -> Tensor
// A dynamic axis stays, whatever its size is at run time, which is noted; but see
// LowerOptions::removes_unknown_axes.
Item squeeze(const Call& call, Builder&) {
  return squeezed(call, call.axes("dim", seen_rank(call), false));
}

// aten.unsqueeze(Tensor self, int dim) -> Tensor
Item unsqueeze(const Call& call, Builder&) {
  const std::int64_t axis = call.axis("dim", seen_rank(call) + 1);
  return in_order(call, [axis](const Value& base) { return voxport::unsqueeze(base, {axis}); });
}

// aten.atleast_2d(Tensor self) -> Tensor, aten.atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]
Item atleast(const Call& call, Builder&) {
  const auto rank =
      static_cast<std::size_t>(call.name()[std::string_view("aten.atleast_").size()] - '0');
  if (!call.has("tensors")) {
    if (call.tensor("self").rank() >= rank) return call.same("self");
    return in_order(call, [rank](const Value& base) { return at_least(base, rank); });
  }
  std::vector<Item> items;
  for (const Value& x : call.tensors("tensors")) items.emplace_back(at_least(x, rank));
  return Item::list(std::move(items));
}

// aten.broadcast_tensors(Tensor[] tensors) -> Tensor[]
Item broadcast_tensors(const Call& call, Builder&) {
  const std::vector<Number> sizes = broadcast_sizes(call, call.tensors("tensors"));
  if (!call.item("tensors").container()) return call.same("tensors");
  std::vector<Item> results;
  for (const Item& tensor : call.item("tensors").container()->items) {
    const Call one(call.walk(), call.program_call(), nullptr, {{"self", tensor}});
    results.push_back(expanded(one, sizes));
  }
  return Item::list(std::move(results));
}

// aten.expand(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor
// aten.broadcast_to(Tensor self, SymInt[] size) -> Tensor
Item expand_view(const Call& call, Builder&) { return expanded(call, call.numbers("size")); }

// aten.expand_as(Tensor self, Tensor other) -> Tensor
Item expand_as(const Call& call, Builder&) {
  return expanded(call, size_numbers(call, call.tensor("other")));
}

// aten.permute(Tensor self, int[] dims) -> Tensor
Item permute(const Call& call, Builder&) {
  const std::size_t rank = seen_rank(call);
  std::vector<std::int64_t> perm;
  for (const std::int64_t axis : call.integers("dims"))
    perm.push_back(static_cast<std::int64_t>(axis_index(axis, rank)));
  return permuted_view(call, std::move(perm));
}

// aten.transpose.int(Tensor self, int dim0, int dim1) -> Tensor
// aten.swapaxes(Tensor self, int axis0, int axis1) -> Tensor
Item transpose(const Call& call, Builder&) {
  const std::size_t rank = seen_rank(call);
  if (rank == 0) return call.same("self");
  const std::int64_t a = call.axis(call.arguments()[1].first, rank);
  const std::int64_t b = call.axis(call.arguments()[2].first, rank);
  return permuted_view(call, swapped_axes(rank, a, b));
}

// aten.movedim.int(Tensor self, int source, int destination) -> Tensor
// aten.movedim.intlist(Tensor self, int[] source, int[] destination) -> Tensor
Item movedim(const Call& call, Builder&) {
  return permuted_view(call, moved(call, call.integers("source"), call.integers("destination")));
}

// aten.t(Tensor self) -> Tensor
Item t(const Call& call, Builder&) {
  const std::size_t rank = seen_rank(call);
  if (rank > 2) call.refuse("a tensor of rank ", rank, " has no transpose, expected a matrix");
  return rank < 2 ? call.same("self") : permuted_view(call, {1, 0});
}

// aten.numpy_T(Tensor self) -> Tensor
Item numpy_t(const Call& call, Builder&) {
  std::vector<std::int64_t> perm = to_front(seen_rank(call), {});
  std::ranges::reverse(perm);
  return permuted_view(call, std::move(perm));
}

// aten.mT(Tensor self) -> Tensor, aten.mH(Tensor self) -> Tensor, aten.adjoint(Tensor self) ->
//   Tensor
Item matrix_transpose(const Call& call, Builder&) {
  const auto rank = static_cast<std::int64_t>(seen_rank(call));
  if (rank < 2) call.refuse("a tensor of rank ", rank, " has no rows and columns");
  const bool is_conjugate = call.name() != "aten.mT";
  if (is_conjugate && call.tensor("self").rank() > seen_rank(call))
    call.refuse("it conjugates a complex tensor; call conj() and mT by themselves");
  return permuted_view(call, swapped_axes(seen_rank(call), rank - 2, rank - 1));
}

// aten.select.int(Tensor self, int dim, SymInt index) -> Tensor
Item select(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const std::int64_t axis = call.axis("dim", seen_rank(call));
  if (call.walk().place().is_in_rnn && !x.dim(axis).is_constant())
    call.refuse("it takes one step of the dynamic size ", x.dim(axis).text(), ": ",
                kStepsAreWrittenOut);
  return call.view("self", select_view(call, axis, call.number("index")), is_first(x, axis));
}

// aten.slice.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1)
//   -> Tensor
Item slice(const Call& call, Builder& g) {
  if (!call.at(0).is_tensor()) return slice_of_list(call, g);
  const std::int64_t axis = call.axis("dim", seen_rank(call));
  const Number step = call.number("step");
  const Number start = call.has("start") ? call.number("start") : Number::of_int(0);
  const Number end = call.has("end") ? call.number("end") : Number::of_int(kToTheEnd);
  if (step.as_int() == 1 && start.as_int() == 0 && end.as_int() == kToTheEnd)
    return call.same("self");
  return slice_of(call, axis, start, end, step);
}

// aten.narrow(Tensor self, int dim, SymInt start, SymInt length) -> Tensor
// aten.narrow.Tensor(Tensor self, int dim, Tensor start, SymInt length) -> Tensor
Item narrow(const Call& call, Builder&) {
  const std::int64_t axis = call.axis("dim", seen_rank(call));
  const Number start = counted_from_start(call, call.tensor("self"), axis, call.number("start"));
  return slice_of(call, axis, start, plus(call, start, call.number("length")));
}

// aten.split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]
// aten.split.sizes(Tensor self, SymInt[] split_size, int dim=0) -> Tensor[]
// aten.split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]
Item split(const Call& call, Builder&) {
  if (!call.at(0).is_tensor()) call.refuse("it splits ", call.at(0).kind_name());
  const std::int64_t axis = call.axis("dim", seen_rank(call));
  const std::string& sizes = call.arguments()[1].first;
  if (call.item(sizes).container()) return parts_of(call, axis, call.numbers(sizes));
  return split_by_size(call, axis, call.number(sizes));
}

// aten.chunk(Tensor self, int chunks, int dim=0) -> Tensor[]
// Of a dynamic size there are as many parts as the program asks for. Sizes of which PyTorch makes
// fewer do not run.
Item chunk(const Call& call, Builder&) {
  const std::int64_t axis = call.axis("dim", seen_rank(call));
  const std::int64_t count = call.integer("chunks");
  if (count < 1) call.refuse("it splits into ", count, " parts");
  const Number whole = size_number(call, call.tensor("self"), axis);
  const Number size = compute(call.scopes(), Arithmetic::kFloorDiv,
                              plus(call, whole, Number::of_int(count - 1)), Number::of_int(count));
  if (whole.as_int().value_or(0) > 0) return split_by_size(call, axis, size);
  return parts_of(call, axis, chunks(call, whole, size, count));
}

// aten.tensor_split.sections(Tensor self, SymInt sections, int dim=0) -> Tensor[]
// aten.tensor_split.indices(Tensor self, SymInt[] indices, int dim=0) -> Tensor[]
// aten.tensor_split.tensor_indices_or_sections(Tensor self, Tensor tensor_indices_or_sections,
//   int dim=0) -> Tensor[]
Item tensor_split(const Call& call, Builder& g) {
  const std::int64_t axis = call.axis("dim", seen_rank(call));
  if (!call.has("tensor_indices_or_sections")) return split_on(call, axis);
  const Value given = call.tensor("tensor_indices_or_sections");
  if (given.rank() == 0)
    return split_evenly(call, axis, call.integer("tensor_indices_or_sections"));
  const auto count = given.dim(0).constant();
  if (!count) call.refuse("the number of parts depends on the dynamic size ", given.dim(0).text());
  std::vector<Number> indices;
  for (std::int64_t i = 0; i < *count; ++i)
    indices.push_back(call.scopes().number_of(gather(given, g.int64(i), 0)));
  return split_at(call, axis, indices);
}

// aten.hsplit.int(Tensor self, int sections) -> Tensor[]
// aten.hsplit.array(Tensor self, int[] indices) -> Tensor[]
Item hsplit(const Call& call, Builder&) { return split_on(call, seen_rank(call) == 1 ? 0 : 1); }
Item vsplit(const Call& call, Builder&) { return split_on(call, 0); }
Item dsplit(const Call& call, Builder&) { return split_on(call, 2); }

// aten.unbind.int(Tensor self, int dim=0) -> Tensor[]
// Of a dynamic size the list has as many items as there are at run time.
Item unbind(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const std::int64_t axis = call.axis("dim", seen_rank(call));
  std::optional<std::int64_t> count = x.dim(axis).constant();
  if (!count) {
    count = unpacked_count(call);
    if (count) call.walk().note_fixed(x.dim(axis), *count);
  }
  std::vector<Item> items;
  for (std::int64_t i = 0; i < count.value_or(0); ++i)
    items.push_back(
        call.view("self", select_view(call, axis, Number::of_int(i)), is_first(x, axis)));
  if (!count && call.item("self").is_complex())
    call.refuse("the number of its parts depends on the dynamic size ", x.dim(axis).text(),
                "; voxport requires a real tensor for that, as view_as_real() makes it");
  Item list = Item::list(std::move(items));
  if (!count) list.container()->stacked = permuted(x, to_front(x.rank(), {axis}));
  return list;
}

// aten.diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor
Item diagonal(const Call& call, Builder&) {
  const std::size_t rank = seen_rank(call);
  return call.view(
      "self",
      diagonal_view(call, call.integer("offset"), call.axis("dim1", rank), call.axis("dim2", rank)),
      false);
}

// aten.unfold(Tensor self, int dimension, SymInt size, SymInt step) -> Tensor
// Windows of an axis; they may overlap, so they cannot be written to.
Item unfold(const Call& call, Builder&) {
  const std::size_t rank = seen_rank(call);
  if (rank == 0) call.refuse("a tensor without axes has no windows");
  const std::int64_t axis = call.axis("dimension", rank);
  const Number size = call.number("size");
  const Number step = call.number("step");
  if (size.as_int()) call.walk().note_least(call.tensor("self").dim(axis), *size.as_int());
  View view;
  view.look = [=](const Value& base) {
    const Number whole = size_number(call, base, axis);
    const Number last =
        compute(call.scopes(), Arithmetic::kFloorDiv, minus(call, whole, size), step);
    const Value steps = counted(call, plus(call, last, Number::of_int(1)), 1);
    const Value starts = voxport::unsqueeze(steps * call.sizes({step}), {1});
    const Value windows = gather(base, starts + range(call.sizes({size})), axis);
    std::vector<std::int64_t> perm = to_front(base.rank() + 1, {});
    perm.erase(perm.begin() + axis + 1);
    perm.insert(perm.begin() + static_cast<std::ptrdiff_t>(rank), axis + 1);
    return permuted(windows, perm);
  };
  return call.view("self", std::move(view), false);
}

}  // namespace voxport::ops
