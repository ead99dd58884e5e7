// Reductions: sums, extremes, norms and their like, over some axes or all of them.
#include <cmath>
#include <cstdint>

#include "lower/arithmetic.h"
#include "lower/ops/ops.h"
#include "lower/ops/sum_type.h"

namespace voxport::ops {
namespace {

// The axes that go, and whether each leaves a 1 behind.
struct ReducedAxes {
  std::vector<std::int64_t> list;
  bool keepdim = false;
};

ReducedAxes axes_of(const Call& call, const Value& x) {
  return {call.axes("dim", x.rank()), call.flag("keepdim")};
}

ReducedAxes all_of(const Value& x) {
  ReducedAxes axes;
  for (std::size_t i = 0; i < x.rank(); ++i) axes.list.push_back(static_cast<std::int64_t>(i));
  return axes;
}

// An empty list reduces no axis; ONNX would reduce all of them.
Value reduced(const char* op, const Value& x, const ReducedAxes& axes) {
  if (axes.list.empty()) return x;
  if (std::string_view(op) == "ReduceSum") return reduce_sum(x, axes.list, axes.keepdim);
  return Builder(x.graph()).node(op, {x},
                                 {{"axes", axes.list}, {"keepdims", std::int64_t{axes.keepdim}}});
}

// For operators that PyTorch does not define for ints either: mean, var.
DType asked_float_type(const Call& call, const Value& x) {
  const DType dtype = call.dtype("dtype").value_or(x.dtype());
  if (!is_floating(dtype)) call.refuse("it takes floats, found ", name_of(dtype));
  return dtype;
}

Value sum_as(const Value& x, const ReducedAxes& axes, DType dtype) {
  const Value wide = cast(cast(x, dtype), sum_type(dtype));
  return cast(reduced("ReduceSum", wide, axes), dtype);
}

Value zero_like(const Value& x) { return Builder(x.graph()).scalar(0, x.dtype()); }

// Bools; of floats NaN is true, too.
Value is_nonzero(const Value& x) {
  Builder g(x.graph());
  if (x.dtype() == DType::kBool) return x;
  if (!is_floating(x.dtype())) return cast(x, DType::kBool);
  return g.node("Not", {g.node("Equal", {x, zero_like(x)})});
}

Value count(const Value& bools, const ReducedAxes& axes) {
  return reduced("ReduceSum", cast(bools, DType::kInt64), axes);
}

// How many elements become one, less the correction of a variance, and not below 0.
Value degrees_of_freedom(const Value& x, const ReducedAxes& axes, double correction) {
  Builder g(x.graph());
  Dim product = 1;
  for (const std::int64_t axis : axes.list) product = product * x.dim(axis);
  if (const auto known = product.constant())
    return g.scalar(std::max(static_cast<double>(*known) - correction, 0.0), x.dtype());
  const Value sizes = gather(g.node("Shape", {x}), g.int64s(axes.list), 0);
  const Value count = g.node("ReduceProd", {sizes}, {{"keepdims", std::int64_t{0}}});
  return maximum(cast(count, x.dtype()) - correction, 0);
}

// ONNX Runtime's min/max kernels do not support bools, halves and short ints.
DType ordered_type(DType dtype) {
  if (dtype == DType::kInt64 || dtype == DType::kFloat64) return dtype;
  return is_floating(dtype) ? DType::kFloat32 : DType::kInt32;
}

Value extreme(const char* op, const Value& x, const ReducedAxes& axes) {
  return cast(reduced(op, cast(x, ordered_type(x.dtype())), axes), x.dtype());
}

Value arg_extreme(const char* op, const Value& x, std::int64_t axis, bool keepdim) {
  Builder g(x.graph());
  if (x.rank() == 0) return g.int64(0);
  return g.node(op, {cast(x, ordered_type(x.dtype()))},
                {{"axis", axis}, {"keepdims", std::int64_t{keepdim}}});
}

// The largest, or smallest: of all elements; along an axis, with its place.
Item extreme_of(const Call& call, const char* reduce, const char* arg) {
  const Value x = call.tensor("self");
  if (!call.has("dim")) return extreme(reduce, x, all_of(x));
  const std::int64_t axis = call.axis("dim", x.rank());
  const Value indices = arg_extreme(arg, x, axis, call.flag("keepdim"));
  return std::vector<Value>{extreme(reduce, x, axes_of(call, x)), indices};
}

Item place_of_extreme(const Call& call, const char* arg, Builder& g) {
  const Value x = call.tensor("self");
  if (call.has("dim")) return arg_extreme(arg, x, call.axis("dim", x.rank()), call.flag("keepdim"));
  const Value found = arg_extreme(arg, reshape(x, {-1}), 0, false);
  if (!call.flag("keepdim")) return found;
  return reshape(found, g.int64s(std::vector<std::int64_t>(x.rank(), 1)));
}

// PyTorch keeps uint8 for all() and any() of it.
DType truth_type(const Value& x) {
  return x.dtype() == DType::kUInt8 ? DType::kUInt8 : DType::kBool;
}

// all() and any() of a list of Python's numbers.
Item truth_of_list(const Call& call, bool all) {
  Number result = Number::of_bool(all);
  for (const Number& number : call.numbers("self"))
    result = all ? logical_and(call.scopes(), result, number)
                 : logical_or(call.scopes(), result, number);
  return result;
}

Item truth(const Call& call, bool all, Builder& g) {
  if (call.item("self").is_list()) return truth_of_list(call, all);
  const Value x = call.tensor("self");
  const bool keeps_all =
      call.overload() == "dims" && call.item("dim").is_list() && call.integers("dim").empty();
  ReducedAxes axes = axes_of(call, x);
  if (keeps_all) axes.list.clear();
  const Value bools = is_nonzero(x);
  const Value found = greater(count(all ? g.node("Not", {bools}) : bools, axes), 0);
  return cast(all ? g.node("Not", {found}) : found, truth_type(x));
}

struct Spread {
  Value var, mean;
};

// unbiased=True is a correction of 1.
double correction(const Call& call) {
  if (call.has("correction")) return call.real("correction");
  return call.has("unbiased") && !call.flag("unbiased") ? 0 : 1;
}

Spread spread_of(const Call& call) {
  const Value self = call.tensor("self");
  const DType dtype = asked_float_type(call, self);
  const Value x = cast(self, sum_type(dtype));
  const ReducedAxes axes = axes_of(call, x);
  const Value centre = reduced("ReduceMean", x, {axes.list, true});
  const Value distance = x - centre;
  const Value sum = reduced("ReduceSum", distance * distance, axes);
  const Value var = sum / degrees_of_freedom(x, axes, correction(call));
  const bool stays = axes.keepdim || axes.list.empty();
  return {cast(var, dtype), cast(stays ? centre : squeeze(centre, axes.list), dtype)};
}

// Of order `order`, in the type that sums are made in.
Value vector_norm(const Value& x, double order, const ReducedAxes& axes, Builder& g) {
  const Value size = abs(x);
  if (order == 2) return sqrt(reduced("ReduceSum", x * x, axes));
  if (order == 1) return reduced("ReduceSum", size, axes);
  if (order == 0) return reduced("ReduceSum", cast(is_nonzero(x), x.dtype()), axes);
  if (std::isinf(order)) return reduced(order > 0 ? "ReduceMax" : "ReduceMin", size, axes);
  const Value powers = g.node("Pow", {size, g.scalar(order, x.dtype())});
  return g.node("Pow", {reduced("ReduceSum", powers, axes), g.scalar(1 / order, x.dtype())});
}

// A tensor as norms see it: in the type of dtype=, made wide enough to sum in.
struct Normed {
  Value x;
  DType dtype;
};

Normed normed(const Call& call, std::string_view name = "self") {
  const Value x = call.tensor(name);
  const DType dtype = asked_float_type(call, x);
  return {cast(cast(x, dtype), sum_type(dtype)), dtype};
}

// By the sums of rows or of columns.
Value matrix_norm(const Call& call, const Value& x, double order, const ReducedAxes& axes) {
  if (axes.list.size() != 2) call.refuse("a matrix has two axes, found ", axes.list.size());
  const bool is_by_column = std::abs(order) == 1;
  if (!is_by_column && !std::isinf(order))
    call.refuse("a matrix norm of order ", order, " needs a singular value decomposition");
  const std::int64_t summed = axes.list[is_by_column ? 0 : 1];
  const std::int64_t other = axes.list[is_by_column ? 1 : 0];
  const Value sums = reduced("ReduceSum", abs(x), {{summed}, true});
  const Value found = reduced(order > 0 ? "ReduceMax" : "ReduceMin", sums, {{other}, true});
  return axes.keepdim ? found : squeeze(found, axes.list);
}

// ReducedAxes in the order in which the program names them: rows, then columns.
ReducedAxes matrix_axes(const Call& call, const Value& x) {
  ReducedAxes axes{{}, call.flag("keepdim")};
  for (const std::int64_t axis : call.integers("dim"))
    axes.list.push_back(static_cast<std::int64_t>(axis_index(axis, x.rank())));
  if (axes.list.empty() && x.rank() == 2) axes.list = {0, 1};
  return axes;
}

Value named_matrix_norm(const Call& call, const Normed& self, Builder& g) {
  const std::string order = call.text("ord");
  if (order != "fro")
    call.refuse("the matrix norm ", in_quotes(order), " needs a singular value decomposition");
  return cast(vector_norm(self.x, 2, matrix_axes(call, self.x), g), self.dtype);
}

double order_of(const Call& call, std::string_view name) {
  return call.has(name) ? call.real(name) : 2;
}

}  // namespace

// aten.sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None)
//   -> Tensor
Item sum(const Call& call, Builder&) {
  if (call.item("self").is_list()) {
    Number total = Number::of_int(0);
    for (const Number& number : call.numbers("self"))
      total = compute(call.scopes(), Arithmetic::kAdd, total, number);
    return total;
  }
  const Value x = call.tensor("self");
  return sum_as(x, axes_of(call, x), summed_type(call, x));
}

// aten.nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None)
//   -> Tensor
Item nansum(const Call& call, Builder& g) {
  Value x = call.tensor("self");
  const DType dtype = summed_type(call, x);
  if (is_floating(x.dtype())) x = where(g.node("IsNaN", {x}), zero_like(x), x);
  return sum_as(x, axes_of(call, x), dtype);
}

// aten.mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
Item mean(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const DType dtype = asked_float_type(call, x);
  return cast(reduced("ReduceMean", cast(x, sum_type(dtype)), axes_of(call, x)), dtype);
}

// aten.nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None)
//   -> Tensor
Item nanmean(const Call& call, Builder& g) {
  const Value self = call.tensor("self");
  const DType dtype = asked_float_type(call, self);
  const Value x = cast(self, sum_type(dtype));
  const ReducedAxes axes = axes_of(call, x);
  const Value is_nan = g.node("IsNaN", {x});
  const Value total = reduced("ReduceSum", where(is_nan, zero_like(x), x), axes);
  return cast(total / cast(count(g.node("Not", {is_nan}), axes), x.dtype()), dtype);
}

// aten.prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
Item prod(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const DType dtype = summed_type(call, x);
  const Value wide = cast(cast(x, dtype), sum_type(dtype));
  return cast(reduced("ReduceProd", wide, axes_of(call, x)), dtype);
}

// aten.var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool
//   keepdim=False) -> Tensor
Item var(const Call& call, Builder&) { return spread_of(call).var; }

// aten.std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool
//   keepdim=False) -> Tensor
Item std_(const Call& call, Builder&) { return sqrt(spread_of(call).var); }

// aten.var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool
//   keepdim=False) -> (Tensor, Tensor)
Item var_mean(const Call& call, Builder&) {
  const Spread spread = spread_of(call);
  return std::vector<Value>{spread.var, spread.mean};
}

// aten.std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool
//   keepdim=False) -> (Tensor, Tensor)
Item std_mean(const Call& call, Builder&) {
  const Spread spread = spread_of(call);
  return std::vector<Value>{sqrt(spread.var), spread.mean};
}

// aten.amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor
Item amax(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  return extreme("ReduceMax", x, axes_of(call, x));
}

// aten.amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor
Item amin(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  return extreme("ReduceMin", x, axes_of(call, x));
}

// aten.aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)
Item aminmax(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const ReducedAxes axes = axes_of(call, x);
  return std::vector<Value>{extreme("ReduceMin", x, axes), extreme("ReduceMax", x, axes)};
}

// aten.max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
// aten.max(Tensor self) -> Tensor
Item max(const Call& call, Builder&) { return extreme_of(call, "ReduceMax", "ArgMax"); }

// aten.min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
// aten.min(Tensor self) -> Tensor
Item min(const Call& call, Builder&) { return extreme_of(call, "ReduceMin", "ArgMin"); }

// aten.argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor
Item argmax(const Call& call, Builder& g) { return place_of_extreme(call, "ArgMax", g); }

// aten.argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor
Item argmin(const Call& call, Builder& g) { return place_of_extreme(call, "ArgMin", g); }

// aten.all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor
Item all(const Call& call, Builder& g) { return truth(call, true, g); }

// aten.any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor
Item any(const Call& call, Builder& g) { return truth(call, false, g); }

// aten.count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor
Item count_nonzero(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  return count(is_nonzero(x), axes_of(call, x));
}

// aten.logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
Item logsumexp(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const DType dtype = floating(x.dtype());
  return cast(reduced("ReduceLogSumExp", cast(x, sum_type(dtype)), axes_of(call, x)), dtype);
}

// aten.linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *,
//   ScalarType? dtype=None) -> Tensor
Item linalg_vector_norm(const Call& call, Builder& g) {
  const Normed self = normed(call);
  const Value found = vector_norm(self.x, call.real("ord"), axes_of(call, self.x), g);
  return cast(found, self.dtype);
}

// aten.norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType
//   dtype) -> Tensor
Item norm(const Call& call, Builder& g) {
  const Normed self = normed(call);
  return cast(vector_norm(self.x, order_of(call, "p"), axes_of(call, self.x), g), self.dtype);
}

// aten.frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
Item frobenius_norm(const Call& call, Builder& g) {
  const Normed self = normed(call);
  return cast(vector_norm(self.x, 2, axes_of(call, self.x), g), self.dtype);
}

// aten.linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *,
//   ScalarType? dtype=None) -> Tensor, and .str_ord
Item linalg_matrix_norm(const Call& call, Builder& g) {
  const Normed self = normed(call);
  if (call.item("ord").text()) return named_matrix_norm(call, self, g);
  const ReducedAxes axes = matrix_axes(call, self.x);
  return cast(matrix_norm(call, self.x, call.real("ord"), axes), self.dtype);
}

// aten.linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *,
//   ScalarType? dtype=None) -> Tensor, and .ord_str
Item linalg_norm(const Call& call, Builder& g) {
  const Normed self = normed(call);
  if (call.item("ord").text()) return named_matrix_norm(call, self, g);
  const ReducedAxes axes = axes_of(call, self.x);
  if (!call.has("ord") || axes.list.size() < 2)
    return cast(vector_norm(self.x, order_of(call, "ord"), axes, g), self.dtype);
  return cast(matrix_norm(call, self.x, call.real("ord"), matrix_axes(call, self.x)), self.dtype);
}

// aten.dist(Tensor self, Tensor other, Scalar p=2) -> Tensor
Item dist(const Call& call, Builder& g) {
  const std::vector<Value> values = call.promoted({"self", "other"});
  const DType dtype = values[0].dtype();
  if (!is_floating(dtype)) call.refuse("it takes floats, found ", name_of(dtype));
  const Value difference = cast(values[0], sum_type(dtype)) - cast(values[1], sum_type(dtype));
  return cast(vector_norm(difference, call.real("p"), all_of(difference), g), dtype);
}

// aten.trace(Tensor self) -> Tensor
Item trace(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  if (x.rank() != 2) call.refuse("it takes a matrix, found a tensor of rank ", x.rank());
  const DType dtype = summed_type(call, x);
  const Value wide = cast(x, sum_type(dtype));
  const Value rows = unsqueeze(range(size(x, 0)), {1});
  const Value is_diagonal = g.node("Equal", {rows, range(size(x, 1))});
  return sum_as(where(is_diagonal, wide, zero_like(wide)), all_of(x), dtype);
}

// aten.diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor
Item diff(const Call& call, Builder& g) {
  Value x = call.tensor("self");
  const std::int64_t axis = call.axis("dim", x.rank());
  std::vector<Value> parts;
  if (call.has("prepend")) parts.push_back(call.tensor("prepend"));
  parts.push_back(x);
  if (call.has("append")) parts.push_back(call.tensor("append"));
  if (parts.size() > 1) x = concat(parts, axis);
  for (std::int64_t i = 0; i < call.integer("n"); ++i) {
    const Value next = slice(x, axis, 1, INT64_MAX);
    const Value previous = slice(x, axis, 0, -1);
    x = x.dtype() == DType::kBool ? g.node("Xor", {next, previous}) : next - previous;
  }
  return x;
}

}  // namespace voxport::ops
