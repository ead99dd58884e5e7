// Elements written by index or by mask. What is written to is not changed: a new tensor comes out.
#include "lower/ops/index.h"
#include "lower/ops/ops.h"
#include "lower/ops/parts.h"

namespace voxport::ops {
namespace {

// The tensor of which a mask chose `values`, where the same mask does so; else absent. What is then
// written is that tensor, wherever the mask is true.
Value source_of(const Value& values, const Value& mask) {
  const auto gathered = values.producer();
  if (!gathered || gathered->op() != "GatherND") return {};
  const auto turned = gathered->input(1).producer();
  if (!turned || turned->op() != "Transpose") return {};
  const auto places = turned->input(0).producer();
  if (!places || places->op() != "NonZero" || places->input(0) != mask) return {};
  return gathered->input(0);
}

// The mask of the first axes of a tensor, as one that broadcasts to all of it.
Value spread_mask(const Value& mask, std::size_t rank) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = mask.rank(); i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes.empty() ? mask : voxport::unsqueeze(mask, axes);
}

// Values that do not depend on how many elements the mask chooses, in the shape of the rest; absent
// where they do.
Value values_for_all(const Value& values, std::size_t rest) {
  if (values.rank() <= rest) return values;
  if (values.rank() == rest + 1 && values.dim(0) == Dim(1)) return voxport::squeeze(values, {0});
  return {};
}

Value sum_of(const Value& a, const Value& b, Builder& g) {
  return a.dtype() == DType::kBool ? g.node("Or", {a, b}) : a + b;
}

// index_put by one mask as a Where; absent where it is none.
Value put_by_mask(const Value& x, const Value& mask, const Value& values, bool accumulates,
                  Builder& g) {
  Value written = values_for_all(values, x.rank() - mask.rank());
  if (const Value source = source_of(values, mask); source && source.shape() == x.shape())
    written = source;
  if (!written) return {};
  if (written.dtype() != x.dtype()) written = cast(written, x.dtype());
  return choose(spread_mask(mask, x.rank()), accumulates ? sum_of(x, written, g) : written, x);
}

// The shape of what was chosen from `x`, as PyTorch has it: before, chosen, after.
Value chosen_shape(const Value& x, const Chosen& chosen, Builder& g) {
  const std::vector<std::int64_t> order = chosen.to_pytorch(x.rank());
  if (order.empty()) return g.int64s({});
  const auto count = static_cast<std::ptrdiff_t>(chosen.axes.size());
  const std::vector<std::int64_t> perm = to_front(x.rank(), chosen.axes);
  std::vector<Value> parts;
  if (chosen.places.rank() > 1) parts.push_back(shape_of(chosen.places, 0, -1));
  if (count < rank_of(x))
    parts.push_back(gather(shape_of(x), g.int64s({perm.begin() + count, perm.end()}), 0));
  return gather(parts.size() == 1 ? parts[0] : concat(parts, 0), g.int64s(order), 0);
}

// The axis in front, the rest in order.
struct Fronted {
  explicit Fronted(const Value& x, std::int64_t axis)
      : perm(to_front(x.rank(), {axis})), back(inverse(perm)) {}
  std::vector<std::int64_t> perm, back;
};

// Rows of `source` written to, or added to, the places `index` of an axis.
Value put_rows(const Call& call, const Value& x, const Value& source, const std::string& how) {
  const std::int64_t axis = call.axis("dim", x.rank());
  const Value index = flattened(as_indices(call.tensor("index")));
  const Fronted fronted(x, axis);
  const Value written = scatter_nd(permuted(x, fronted.perm), voxport::unsqueeze(index, {1}),
                                   permuted(source, fronted.perm), how);
  const Value result = permuted(written, fronted.back);
  return call.tensor("self").rank() > 0 ? result : reshape(result, std::vector<std::int64_t>{});
}

// src may be larger than the index: what lies beyond it is not used.
Value cut_to(const Value& src, const Value& index, Builder& g) {
  if (src.shape() == index.shape()) return src;
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 0; i < rank_of(src); ++i) axes.push_back(i);
  return g.node("Slice", {src, g.int64s(std::vector<std::int64_t>(axes.size(), 0)), shape_of(index),
                          g.int64s(axes)});
}

std::string reduction_of(const Call& call, const std::string& reduce) {
  if (reduce == "add" || reduce == "sum") return "add";
  if (reduce == "multiply" || reduce == "prod") return "mul";
  call.refuse("it reduces by ", in_quotes(reduce), ", which is not known");
}

struct Scatter {
  Value data, index, src;  // of the same rank; src in the shape of the index
  std::int64_t axis = 0;
};

Value filled(const Value& like, double value, DType dtype, Builder& g) {
  return expand(g.scalar(value, dtype), shape_of(like));
}

Value scattered_mean(const Scatter& s, bool include_self, Builder& g) {
  const DType dtype = s.data.dtype();
  const Value data =
      include_self ? s.data
                   : scatter_along(s.data, s.index, filled(s.index, 0, dtype, g), s.axis, "none");
  const Value sum = scatter_along(data, s.index, s.src, s.axis, "add");
  const Value ones = filled(s.index, 1, DType::kInt64, g);
  const Value start = filled(s.data, include_self ? 1 : 0, DType::kInt64, g);
  Value count = scatter_along(start, s.index, ones, s.axis, "add");
  count = choose(g.node("Less", {count, g.int64(1)}), g.int64(1), count);
  if (is_floating(dtype)) return sum / cast(count, dtype);
  // Ints round down.
  const Value divisor = cast(count, dtype);
  return (sum - g.node("Mod", {sum, divisor})) / divisor;
}

// The largest or smallest of each place, by comparing each place with each index: ONNX can scatter
// so from opset 18 on.
Value scattered_extreme(const Call& call, const Scatter& s, bool is_max, bool include_self,
                        Builder& g) {
  const DType dtype = s.data.dtype();
  if (dtype == DType::kBool) call.refuse("it takes the largest or smallest of bools");
  Shape a = s.data.shape(), b = s.index.shape();
  a[static_cast<std::size_t>(s.axis)] = b[static_cast<std::size_t>(s.axis)] = 1;
  if (a != b)
    call.refuse("the index is ", shape_text(s.index.shape()), " and the tensor ",
                shape_text(s.data.shape()), ": axes that are not scattered must be alike");
  const std::int64_t last = rank_of(s.data) - 1;
  const std::vector<std::int64_t> perm = swapped_axes(s.data.rank(), s.axis, last);
  const Value data = permuted(s.data, perm);                                // [..., n]
  const Value index = voxport::unsqueeze(permuted(s.index, perm), {last});  // [..., 1, k]
  const Value src = voxport::unsqueeze(permuted(s.src, perm), {last});
  const Value places = voxport::unsqueeze(range(voxport::size(data, last)), {1});  // [n, 1]
  const Value size = voxport::size(data, last);
  const Value is_here = g.node("Equal", {g.node("Mod", {index, size}), places});  // [..., n, k]
  // Compared as floats of 64 bits, or as ints of 64.
  const DType wide = is_floating(dtype) ? DType::kFloat64 : DType::kInt64;
  const auto as_wide = [&](const Value& x) { return x.dtype() == wide ? x : cast(x, wide); };
  const double bound = std::numeric_limits<double>::infinity();
  const Value neutral = wide == DType::kFloat64
                            ? g.scalar(is_max ? -bound : bound, wide)
                            : g.int64(is_max ? std::numeric_limits<std::int64_t>::min()
                                             : std::numeric_limits<std::int64_t>::max());
  const Value kept = where(is_here, as_wide(src), neutral);
  const Value best =
      g.node(is_max ? "ReduceMax" : "ReduceMin", {kept},
             {{"axes", std::vector<std::int64_t>{last + 1}}, {"keepdims", std::int64_t{0}}});
  const Value is_touched = g.node(
      "Greater",
      {reduce_sum(cast(is_here, DType::kInt32), {last + 1}, false), g.scalar(0, DType::kInt32)});
  const Value self = as_wide(data);
  const Value mixed = include_self ? g.node(is_max ? "Max" : "Min", {self, best}) : best;
  Value result = where(is_touched, mixed, self);
  if (wide != dtype) result = cast(result, dtype);
  return permuted(result, perm);
}

Value scattered(const Call& call, const Scatter& s, const std::string& reduce, bool include_self,
                Builder& g) {
  if (reduce == "mean") return scattered_mean(s, include_self, g);
  if (reduce == "amax" || reduce == "amin")
    return scattered_extreme(call, s, reduce == "amax", include_self, g);
  const std::string how = reduction_of(call, reduce);
  Value data = s.data;
  if (!include_self) {
    const Value neutral = filled(s.index, how == "mul" ? 1 : 0, data.dtype(), g);
    data = scatter_along(data, s.index, neutral, s.axis, "none");
  }
  return scatter_along(data, s.index, s.src, s.axis, how);
}

// The arguments of scatter and its like. A number for src fills the index's shape.
Scatter scatter_of(const Call& call, std::string_view src, Builder& g) {
  Scatter s;
  s.data = along(call.tensor("self"));
  s.index = along(as_indices(call.tensor("index")));
  s.axis = call.axis("dim", s.data.rank());
  if (s.index.rank() != s.data.rank())
    call.refuse("its index is of rank ", s.index.rank(), ", its tensor of rank ", s.data.rank());
  const Value values = call.tensor_as(src, s.data.dtype());
  const bool fills = call.item(src).number();
  if (!fills && along(values).rank() != s.index.rank())
    call.refuse("its source is of rank ", along(values).rank(), ", its index of rank ",
                s.index.rank());
  s.src = fills ? expand(values, shape_of(s.index)) : cut_to(along(values), s.index, g);
  return s;
}

Item like_self(const Call& call, const Value& result) {
  return call.tensor("self").rank() > 0 ? result : reshape(result, std::vector<std::int64_t>{});
}

Value source_as_self(const Call& call) {
  return call.tensor_as("src", call.tensor("self").dtype());
}

}  // namespace

// aten.index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor
Item index_put(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  const bool accumulates = call.flag("accumulate");
  const Chosen chosen = chosen_by(call, call.tensors_or_none("indices"), g);
  if (chosen.axes.back() >= rank_of(x))
    call.refuse("it has more indices than the tensor has axes, which are ", x.rank());
  if (chosen.mask && chosen.axes.front() == 0)
    if (const Value put = put_by_mask(x, chosen.mask, call.tensor("values"), accumulates, g))
      return put;
  const std::vector<std::int64_t> perm = to_front(x.rank(), chosen.axes);
  Value values = call.tensor_as("values", x.dtype());
  values =
      permuted(expand(values, chosen_shape(x, chosen, g)), inverse(chosen.to_pytorch(x.rank())));
  const Value written =
      scatter_nd(permuted(x, perm), chosen.places, values, accumulates ? "add" : "none");
  return permuted(written, inverse(perm));
}

// aten.index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor
Item index_add(const Call& call, Builder&) {
  const Value x = along(call.tensor("self"));
  Value source = along(call.tensor_as("source", x.dtype()));
  if (call.number("alpha").as_float() != 1)
    source = source * call.scopes().value_of(call.number("alpha"), x.dtype());
  return put_rows(call, x, source, "add");
}

// aten.index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor
Item index_copy(const Call& call, Builder&) {
  const Value x = along(call.tensor("self"));
  return put_rows(call, x, along(call.tensor_as("source", x.dtype())), "none");
}

// aten.index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor
// aten.index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor
Item index_fill(const Call& call, Builder&) {
  const Value x = along(call.tensor("self"));
  const std::int64_t axis = call.axis("dim", x.rank());
  const Value index = flattened(as_indices(call.tensor("index")));
  const Value value = call.tensor_as("value", x.dtype());
  const Value like = gather(x, index, axis);
  return put_rows(call, x, expand(value, shape_of(like)), "none");
}

// aten.index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *,
//   bool include_self=True) -> Tensor
Item index_reduce(const Call& call, Builder& g) {
  Scatter s;
  s.data = along(call.tensor("self"));
  s.src = along(call.tensor_as("source", s.data.dtype()));
  s.axis = call.axis("dim", s.data.rank());
  std::vector<std::int64_t> target(s.data.rank(), 1);
  target[static_cast<std::size_t>(s.axis)] = -1;
  s.index = expand(reshape(as_indices(call.tensor("index")), target), shape_of(s.src));
  return like_self(call, scattered(call, s, call.text("reduce"), call.flag("include_self"), g));
}

// aten.scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor
// aten.scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce)
//   -> Tensor
Item scatter(const Call& call, Builder& g) {
  const Scatter s = scatter_of(call, call.has("src") ? "src" : "value", g);
  const std::string how =
      call.has("reduce") ? reduction_of(call, call.text("reduce")) : std::string("none");
  return like_self(call, scatter_along(s.data, s.index, s.src, s.axis, how));
}

// aten.scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor
Item scatter_add(const Call& call, Builder& g) {
  const Scatter s = scatter_of(call, "src", g);
  return like_self(call, scatter_along(s.data, s.index, s.src, s.axis, "add"));
}

// aten.scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *,
//   bool include_self=True) -> Tensor
Item scatter_reduce(const Call& call, Builder& g) {
  const Scatter s = scatter_of(call, "src", g);
  return like_self(call, scattered(call, s, call.text("reduce"), call.flag("include_self"), g));
}

// aten.put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor
Item put(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const Value index = voxport::unsqueeze(flattened(as_indices(call.tensor("index"))), {1});
  const Value source = flattened(call.tensor_as("source", x.dtype()));
  const Value written =
      scatter_nd(flattened(x), index, source, call.flag("accumulate") ? "add" : "none");
  return reshape(written, shape_of(x));
}

// How many elements of a tensor a constant mask chooses; nothing where that is not known.
std::optional<std::int64_t> count_chosen(const Value& mask, const Value& x) {
  const Tensor* constant = mask.constant();
  const auto elements = numel(x.shape()).constant();
  if (!constant || !elements || constant->numel() == 0) return std::nullopt;
  std::int64_t chosen = 0;
  for_each_element(*constant, [&](const std::byte* element) {
    chosen += is_real(constant->dtype) && element_value(constant->dtype, element) != 0;
  });
  return *elements / constant->numel() * chosen;
}

// aten.masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor
// The n-th element that the mask chooses becomes the n-th of source.
Item masked_scatter(const Call& call, Builder& g) {
  const Value given = call.tensor("self");
  const auto chosen = count_chosen(call.tensor("mask"), given);
  const auto there = numel(call.tensor("source").shape()).constant();
  if (chosen && there && *chosen > *there)
    call.refuse("its mask chooses ", *chosen, " elements, but there are ", *there, " in source");
  const Value mask = expand(as_mask(call.tensor("mask")), shape_of(given));
  const Value x = expand(given, shape_of(mask));
  const Value count = cum_sum(cast(flattened(mask), DType::kInt64), 0);
  const Value nth = g.node("Max", {count - g.int64(1), g.int64(0)});
  const Value source = flattened(call.tensor_as("source", x.dtype()));
  return choose(mask, reshape(gather(source, nth, 0), shape_of(x)), x);
}

// aten.select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor
Item select_scatter(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  return select_view(call, call.axis("dim", x.rank()), call.number("index"))
      .put(x, source_as_self(call));
}

// aten.slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None,
//   SymInt step=1) -> Tensor
Item slice_scatter(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const Number start = call.has("start") ? call.number("start") : Number::of_int(0);
  const Number end = call.has("end") ? call.number("end") : Number::of_int(kToTheEnd);
  const View view = slice_view(call, call.axis("dim", x.rank()), start, end, call.number("step"));
  return view.put(x, expand(source_as_self(call), shape_of(view.look(x))));
}

// aten.diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor
Item diagonal_scatter(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  return diagonal_view(call, call.integer("offset"), call.axis("dim1", x.rank()),
                       call.axis("dim2", x.rank()))
      .put(x, source_as_self(call));
}

// aten.as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride,
//   SymInt? storage_offset=None) -> Tensor
Item as_strided_scatter(const Call& call, Builder&) {
  call.refuse("it goes through memory in steps of its own; ONNX has no strides");
}

}  // namespace voxport::ops
