// New tensors: zeros, ranges, windows.
#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>

#include "base/checked.h"
#include "lower/arithmetic.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// What is computed at conversion must fit a file.
constexpr std::int64_t kMaxComputed = std::int64_t{1} << 24;

DType dtype_or(const Call& call, DType otherwise) {
  return call.dtype("dtype").value_or(otherwise);
}

Number int_of(std::int64_t value) { return Number::of_int(value); }

// A tensor of this shape (int64 of rank 1) that is the same number everywhere.
Value filled(const Call& call, const Value& shape, const Number& number, DType dtype) {
  const Value one = call.scopes().value_of(number, dtype);
  if (const Tensor* known = one.constant()) {
    Tensor element = *known;
    element.shape = {1};
    return Builder(shape.graph()).node("ConstantOfShape", {shape}, {{"value", element}});
  }
  return expand(one, shape);
}

// In the shape of `self`.
Value filled_like(const Call& call, const Number& number, Builder& g) {
  const Value self = call.tensor("self");
  if (call.item("self").cell() && call.item("self").cell()->is_complex)
    call.refuse("it makes a complex tensor");
  return filled(call, g.node("Shape", {self}), number, dtype_or(call, self.dtype()));
}

// aten.new_zeros and its like have the type of `self`, aten.zeros that of floats.
DType made_type(const Call& call) {
  return dtype_or(call, call.has("self") ? call.tensor("self").dtype() : DType::kFloat32);
}

// The sizes of what is made, none of which may be negative.
Value sizes_made(const Call& call) {
  const std::vector<Number> sizes = call.numbers("size");
  for (const Number& size : sizes) call.walk().note_least(size.dim(), 0);
  return call.sizes(sizes);
}

Item filled_anew(const Call& call, const Number& number) {
  return filled(call, sizes_made(call), number, made_type(call));
}

Tensor tensor_of_doubles(std::vector<std::int64_t> shape, const std::vector<double>& values) {
  std::string bytes(values.size() * sizeof(double), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor(DType::kFloat64, std::move(shape), {}, 0, storage_of(Blob::own(bytes)));
}

Value constant_of(std::vector<std::int64_t> shape, const std::vector<double>& values, DType dtype,
                  Builder& g) {
  if (dtype != DType::kFloat32)
    return cast(g.constant("const", tensor_of_doubles(std::move(shape), values)), dtype);
  const std::vector<float> floats(values.begin(), values.end());
  return g.constant("const", tensor_of(std::move(shape), floats));
}

// A list of lists of numbers as one list, with its shape.
struct Nested {
  std::vector<std::int64_t> shape;
  std::vector<Item> leaves;
};

void unnest(const Call& call, const Item& item, std::size_t depth, Nested& nested) {
  const Container* list = item.container();
  if (!list) {
    if (depth != nested.shape.size()) call.refuse("its lists are not of one depth");
    nested.leaves.push_back(item);
    return;
  }
  if (list->stacked) call.refuse("it takes a list whose length is known only at run time");
  const auto size = static_cast<std::int64_t>(list->items.size());
  if (depth == nested.shape.size() && nested.leaves.empty()) nested.shape.push_back(size);
  if (depth >= nested.shape.size() || nested.shape[depth] != size)
    call.refuse("its lists are not of one length");
  for (const Item& part : list->items) unnest(call, part, depth + 1, nested);
}

DType type_of_leaves(const Nested& nested) {
  return nested.leaves.empty() ? DType::kFloat32 : result_type(nested.leaves);
}

Value leaf_value(const Call& call, const Item& leaf, DType dtype) {
  if (const Number* number = leaf.number()) return call.scopes().value_of(*number, dtype);
  if (!leaf.is_tensor()) call.refuse("a list of numbers has ", leaf.kind_name(), " in it");
  return cast(call.memory().read(*leaf.cell()), dtype);
}

// aten.tensor of lists: ints that are sizes stay known as such.
Value tensor_of_lists(const Call& call, const Item& data, Builder& g) {
  if (const Container* list = data.container(); list && list->stacked) {
    const bool is_float = list->stacked_kind == Number::Kind::kFloat;
    const Value stacked = call.scopes().here(list->stacked);
    return cast(stacked, dtype_or(call, is_float ? DType::kFloat32 : stacked.dtype()));
  }
  Nested nested;
  unnest(call, data, 0, nested);
  const DType dtype = dtype_or(call, type_of_leaves(nested));
  if (nested.leaves.empty()) return zeros(g.int64s(nested.shape), dtype);
  std::vector<Value> parts;
  for (const Item& leaf : nested.leaves)
    parts.push_back(reshape(leaf_value(call, leaf, dtype), {1}));
  const Value flat = parts.size() == 1 ? parts.front() : concat(parts, 0);
  return nested.shape.size() == 1 ? flat : reshape(flat, g.int64s(nested.shape));
}

bool is_float(const Number& number) { return number.kind() == Number::Kind::kFloat; }

// How many steps lead from start to end, the last one perhaps too far. Known steps are counted up,
// so that the count is an expression of sizes.
Number whole_steps(Scopes& scopes, const Number& span, const Number& step) {
  const auto known = step.as_int();
  if (known == 1) return span;
  if (!known || *known == INT64_MIN)  // up, as minus the floor of the opposite
    return negative(scopes, compute(scopes, Arithmetic::kFloorDiv, negative(scopes, span), step));
  const Number distance = *known < 0 ? negative(scopes, span) : span;
  const std::int64_t stride = std::abs(*known);
  const Number filled_up = compute(scopes, Arithmetic::kAdd, distance, int_of(stride - 1));
  return compute(scopes, Arithmetic::kFloorDiv, filled_up, int_of(stride));
}

// How many elements lie in [start, end), `step` apart.
Number count_of(const Call& call, const Number& start, const Number& end, const Number& step) {
  Scopes& scopes = call.scopes();
  const Number span = start.as_float() == 0 ? end : compute(scopes, Arithmetic::kSub, end, start);
  if (!is_float(span) && !is_float(step) && !is_float(start))
    return whole_steps(scopes, span, step);
  const Number steps = compute(scopes, Arithmetic::kTrueDiv, span, step);
  if (const auto known = steps.as_float()) {
    if (!(std::abs(*known) <= kMaxComputed)) call.refuse("it has ", *known, " elements");
    return int_of(static_cast<std::int64_t>(std::ceil(*known)));
  }
  return scopes.size_of(cast(ceil(scopes.value_of(steps)), DType::kInt64));
}

// 0, 1, ... below the limit.
Value counting(const Call& call, const Number& limit) {
  return range(call.sizes(std::vector<Number>{limit}));
}

// A short list of numbers that are all known is a constant; a long one would swell the file.
std::optional<std::vector<double>> known_list(const std::optional<std::int64_t>& count,
                                              const std::function<double(double)>& at) {
  constexpr std::int64_t kMaxLength = 4096;
  if (!count || *count < 0 || *count > kMaxLength) return std::nullopt;
  std::vector<double> values;
  for (std::int64_t i = 0; i < *count; ++i) values.push_back(at(static_cast<double>(i)));
  return values;
}

Value progression(const Call& call, const Number& start, const Number& step, const Number& count,
                  DType dtype, Builder& g) {
  Scopes& scopes = call.scopes();
  const auto from = start.as_float();
  const auto by = step.as_float();
  if (from && by && is_floating(dtype))
    if (const auto known = known_list(count.as_int(), [&](double i) { return *from + i * *by; }))
      return constant_of({*count.as_int()}, *known, dtype, g);
  const bool has_floats = is_float(start) || is_float(step);
  Value values = counting(call, count);
  if (has_floats) values = cast(values, DType::kFloat64);
  if (step.as_float() != 1) values = values * scopes.value_of(step, values.dtype());
  if (start.as_float() != 0) values = values + scopes.value_of(start, values.dtype());
  return cast(values, dtype);
}

// start, end and step of a range; ints give ints.
struct Progression {
  Number start = int_of(0);
  Number end;
  Number step = int_of(1);
  DType dtype;
};

Progression progression_of(const Call& call) {
  Progression found;
  found.end = call.number("end");
  if (call.has("start")) found.start = call.number("start");
  if (call.has("step")) found.step = call.number("step");
  if (found.step.as_float() == 0) call.refuse("its step is 0");
  const bool has_floats = is_float(found.start) || is_float(found.end) || is_float(found.step);
  found.dtype = dtype_or(call, has_floats ? DType::kFloat32 : DType::kInt64);
  return found;
}

// Evenly from start to end, where all is known before the run.
std::optional<std::vector<double>> known_line(const Call& call) {
  const auto start = call.number("start").as_float();
  const auto end = call.number("end").as_float();
  const auto steps = call.number("steps").as_int();
  if (!start || !end || !steps) return std::nullopt;
  const double last = static_cast<double>(*steps - 1);
  const double gap = (*end - *start) / std::max(last, 1.0);
  return known_list(steps, [&](double i) {
    return 2 * i < static_cast<double>(*steps) ? *start + i * gap : *end - (last - i) * gap;
  });
}

// Evenly from start to end, in float64: from both ends, as PyTorch has it.
Value evenly(const Call& call, Builder& g) {
  Scopes& scopes = call.scopes();
  const Number start = as_kind(scopes, call.number("start"), Number::Kind::kFloat);
  const Number end = as_kind(scopes, call.number("end"), Number::Kind::kFloat);
  const Number steps = call.number("steps");
  const Number last = compute(scopes, Arithmetic::kSub, steps, int_of(1));
  const Number gaps = compute(scopes, Arithmetic::kMax, last, int_of(1));
  const Number span = compute(scopes, Arithmetic::kSub, end, start);
  const Value gap =
      scopes.value_of(compute(scopes, Arithmetic::kTrueDiv, span, gaps), DType::kFloat64);
  const Value places = cast(counting(call, steps), DType::kFloat64);
  const Value left = scopes.value_of(last, DType::kFloat64) - places;
  const Value from_start = places * gap + scopes.value_of(start, DType::kFloat64);
  const Value from_end = scopes.value_of(end, DType::kFloat64) - left * gap;
  // The one element of a single step is the start.
  const Value half = scopes.value_of(steps, DType::kFloat64) * 0.5;
  return where(g.node("Less", {places, half}), from_start, from_end);
}

// rows + diagonal against columns, for the last two axes of x.
Value triangle(const Call& call, bool is_upper, Builder& g) {
  const Value x = call.tensor("self");
  if (x.rank() < 2) call.refuse("it takes matrices, found a tensor of rank ", x.rank());
  const bool has_kernel = x.dtype() == DType::kFloat32 || x.dtype() == DType::kFloat64 ||
                          x.dtype() == DType::kInt64 || x.dtype() == DType::kBool;
  const DType kernel = has_kernel               ? x.dtype()
                       : is_floating(x.dtype()) ? DType::kFloat32
                                                : DType::kInt64;
  const Value diagonal = call.scopes().value_of(call.number("diagonal"), DType::kInt64);
  const Value kept =
      g.node("Trilu", {cast(x, kernel), diagonal}, {{"upper", std::int64_t{is_upper}}});
  return cast(kept, x.dtype());
}

// The places of a triangle's elements, row by row: [2, n].
Item triangle_indices(const Call& call, bool is_upper, Builder& g) {
  const std::int64_t rows = call.integer("row");
  const std::int64_t columns = call.integer("col");
  const std::int64_t offset = call.integer("offset");
  const auto size = checked_mul(rows, columns);
  if (rows < 0 || columns < 0 || !size || *size > kMaxComputed)
    call.refuse("its matrix is ", rows, " by ", columns);
  std::vector<std::int64_t> at_rows, at_columns;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t distance = column - row;
      if (is_upper ? distance < offset : distance > offset) continue;
      at_rows.push_back(row);
      at_columns.push_back(column);
    }
  }
  const auto count = static_cast<std::int64_t>(at_rows.size());
  at_rows.insert(at_rows.end(), at_columns.begin(), at_columns.end());
  return cast(g.constant("const", int64_tensor({2, count}, at_rows)),
              dtype_or(call, DType::kInt64));
}

// The Bessel function of the first kind and order 0, of an imaginary argument: its power series.
double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= (x / 2 / k) * (x / 2 / k);
    sum += term;
  }
  return sum;
}

// A window by what it is at `place` of [0, 1].
template <class Shape>
Item window(const Call& call, Builder& g, Shape&& at) {
  const std::int64_t length = call.integer("window_length");
  if (length < 0 || length > kMaxComputed) call.refuse("its window has ", length, " elements");
  const bool is_periodic = !call.has("periodic") || call.flag("periodic");
  const double last = static_cast<double>(is_periodic ? length : length - 1);
  std::vector<double> values;
  for (std::int64_t i = 0; i < length; ++i)
    values.push_back(length == 1 ? 1 : at(static_cast<double>(i) / last));
  return constant_of({length}, values, dtype_or(call, DType::kFloat32), g);
}

double cosine_at(double turns) { return std::cos(2 * std::numbers::pi * turns); }

}  // namespace

// aten.zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
//   bool? pin_memory=None) -> Tensor
// What is empty is made of zeros, too.
Item zeros_anew(const Call& call, Builder&) { return filled_anew(call, int_of(0)); }

// aten.ones(SymInt[] size, *, ScalarType? dtype=None, ...) -> Tensor
Item ones(const Call& call, Builder&) { return filled_anew(call, int_of(1)); }

// aten.full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, ...) -> Tensor
Item full(const Call& call, Builder&) {
  const Number number = call.number("fill_value");
  return filled(call, sizes_made(call), number, dtype_or(call, number.dtype()));
}

// aten.new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, ...)
//   -> Tensor
Item new_full(const Call& call, Builder&) { return filled_anew(call, call.number("fill_value")); }

// aten.zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device?
//   device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
Item zeros_like(const Call& call, Builder& g) { return filled_like(call, int_of(0), g); }

// aten.ones_like(Tensor self, *, ScalarType? dtype=None, ...) -> Tensor
Item ones_like(const Call& call, Builder& g) { return filled_like(call, int_of(1), g); }

// aten.full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, ...) -> Tensor
Item full_like(const Call& call, Builder& g) {
  return filled_like(call, call.number("fill_value"), g);
}

// aten.scalar_tensor(Scalar s, *, ScalarType? dtype=None, ...) -> Tensor
Item scalar_tensor(const Call& call, Builder&) {
  return call.tensor_as("s", dtype_or(call, DType::kFloat32));
}

// aten.tensor(t[] data, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False)
//   -> Tensor, and of one number
Item tensor(const Call& call, Builder& g) {
  const Item& data = call.at(0);
  if (data.container()) return tensor_of_lists(call, data, g);
  const std::string& name = call.arguments().front().first;
  const DType own = data.number() ? data.number()->dtype() : call.tensor(name).dtype();
  return call.tensor_as(name, dtype_or(call, own));
}

// aten.as_tensor(Tensor data, *, ScalarType? dtype=None, Device? device=None) -> Tensor
// A tensor that is already of the type is the same one.
Item as_tensor(const Call& call, Builder& g) {
  const Item& data = call.at(0);
  const bool stays =
      data.is_tensor() &&
      call.dtype("dtype").value_or(call.tensor("data").dtype()) == call.tensor("data").dtype();
  return stays ? data : tensor(call, g);
}

// aten.arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, ...)
//   -> Tensor
Item arange(const Call& call, Builder& g) {
  const Progression range = progression_of(call);
  const Number count = count_of(call, range.start, range.end, range.step);
  if (const auto known = count.as_int(); known && (*known < 0 || *known > kMaxComputed))
    call.refuse("it has ", *known, " elements");
  return progression(call, range.start, range.step, count, range.dtype, g);
}

// aten.range.step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, ...)
//   -> Tensor
// The end belongs to it, and it is of floats.
Item range_with_end(const Call& call, Builder& g) {
  const Progression range = progression_of(call);
  const auto start = range.start.as_float();
  const auto end = range.end.as_float();
  const auto step = range.step.as_float();
  if (!start || !end || !step) call.refuse("its limits must be known before the run");
  const double steps = (*end - *start) / *step;
  if (!(steps >= 0 && steps < kMaxComputed)) call.refuse("it has ", steps, " steps");
  const auto count = static_cast<std::int64_t>(steps) + 1;
  return progression(call, range.start, range.step, int_of(count), dtype_or(call, DType::kFloat32),
                     g);
}

// aten.linspace(Scalar start, Scalar end, SymInt steps, *, ScalarType? dtype=None, ...) -> Tensor
Item linspace(const Call& call, Builder& g) {
  const DType dtype = dtype_or(call, DType::kFloat32);
  if (const auto known = known_line(call))
    return constant_of({call.integer("steps")}, *known, dtype, g);
  return cast(evenly(call, g), dtype);
}

// aten.logspace(Scalar start, Scalar end, SymInt steps, float base=10.0, *, ScalarType?
//   dtype=None, ...) -> Tensor
Item logspace(const Call& call, Builder& g) {
  const DType dtype = dtype_or(call, DType::kFloat32);
  const double base = call.real("base");
  if (auto known = known_line(call)) {
    for (double& value : *known) value = std::pow(base, value);
    return constant_of({call.integer("steps")}, *known, dtype, g);
  }
  return cast(g.node("Pow", {g.scalar(base, DType::kFloat64), evenly(call, g)}), dtype);
}

// aten.eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, ...) -> Tensor
Item eye(const Call& call, Builder& g) {
  const Number rows = call.number("n");
  const Number columns = call.has("m") ? call.number("m") : rows;
  const Value is_diagonal =
      g.node("Equal", {unsqueeze(counting(call, rows), {1}), counting(call, columns)});
  return cast(is_diagonal, dtype_or(call, DType::kFloat32));
}

// aten.fill_diagonal_(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor
Item fill_diagonal(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  if (x.rank() != 2) call.refuse("it takes a matrix, found a tensor of rank ", x.rank());
  if (call.flag("wrap")) call.refuse("a diagonal that starts again below is not known");
  const Value is_diagonal = g.node("Equal", {unsqueeze(range(size(x, 0)), {1}), range(size(x, 1))});
  const DType kernel = is_floating(x.dtype()) ? x.dtype() : DType::kInt64;
  const Value number = call.scopes().value_of(call.number("fill_value"), x.dtype());
  return cast(where(is_diagonal, cast(number, kernel), cast(x, kernel)), x.dtype());
}

// aten._dim_arange(Tensor like, int dim) -> Tensor
Item dim_arange(const Call& call, Builder&) {
  const Value like = call.tensor("like");
  return range(size(like, call.axis("dim", like.rank())));
}

// aten.__range_length(int lo, int hi, int step) -> int
Item range_length(const Call& call, Builder&) {
  const Number count = count_of(call, call.number("lo"), call.number("hi"), call.number("step"));
  return compute(call.scopes(), Arithmetic::kMax, count, int_of(0));
}

// aten.__derive_index(int index, int start, int step) -> int
Item derive_index(const Call& call, Builder&) {
  const Number distance =
      compute(call.scopes(), Arithmetic::kMul, call.number("index"), call.number("step"));
  return compute(call.scopes(), Arithmetic::kAdd, call.number("start"), distance);
}

// prim.rangelist(int n) -> int[]
Item rangelist(const Call& call, Builder&) {
  const std::int64_t count = call.integer("n");
  if (count > kMaxComputed) call.refuse("its list has ", count, " numbers");
  std::vector<Item> items;
  for (std::int64_t i = 0; i < count; ++i) items.emplace_back(int_of(i));
  return Item::list(std::move(items));
}

// aten.tril(Tensor self, SymInt diagonal=0) -> Tensor
Item tril(const Call& call, Builder& g) { return triangle(call, false, g); }

// aten.triu(Tensor self, SymInt diagonal=0) -> Tensor
Item triu(const Call& call, Builder& g) { return triangle(call, true, g); }

// aten.tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, ...) -> Tensor
Item tril_indices(const Call& call, Builder& g) { return triangle_indices(call, false, g); }

// aten.triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=long, ...) -> Tensor
Item triu_indices(const Call& call, Builder& g) { return triangle_indices(call, true, g); }

// aten.one_hot(Tensor self, int num_classes=-1) -> Tensor
// Without a number of classes, one more than the largest index.
Item one_hot(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  Number classes = call.number("num_classes");
  if (classes.as_int() == -1) {
    const Value largest = g.node("ReduceMax", {x}, {{"keepdims", std::int64_t{0}}});
    classes = call.scopes().size_of(largest + g.int64(1));
  }
  const Value is_it = g.node("Equal", {unsqueeze(x, {-1}), counting(call, classes)});
  return cast(is_it, DType::kInt64);
}

// aten.hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, ...)
//   -> Tensor
Item hann_window(const Call& call, Builder& g) {
  return window(call, g, [](double at) { return 0.5 - 0.5 * cosine_at(at); });
}

// aten.hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float
//   beta, *, ScalarType? dtype=None, ...) -> Tensor
Item hamming_window(const Call& call, Builder& g) {
  const double alpha = call.has("alpha") ? call.real("alpha") : 0.54;
  const double beta = call.has("beta") ? call.real("beta") : 0.46;
  return window(call, g, [=](double at) { return alpha - beta * cosine_at(at); });
}

// aten.blackman_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, ...)
//   -> Tensor
Item blackman_window(const Call& call, Builder& g) {
  return window(call, g,
                [](double at) { return 0.42 - 0.5 * cosine_at(at) + 0.08 * cosine_at(2 * at); });
}

// aten.bartlett_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, ...)
//   -> Tensor
Item bartlett_window(const Call& call, Builder& g) {
  return window(call, g, [](double at) { return 1 - std::abs(2 * at - 1); });
}

// aten.kaiser_window.beta(int window_length, bool periodic, float beta, *, ScalarType? dtype=None,
//   ...) -> Tensor
Item kaiser_window(const Call& call, Builder& g) {
  const double beta = call.has("beta") ? call.real("beta") : 12;
  if (!(std::abs(beta) <= 700)) call.refuse("its beta is ", beta);
  return window(call, g, [=](double at) {
    const double x = 2 * at - 1;
    return bessel_i0(beta * std::sqrt(std::max(0.0, 1 - x * x))) / bessel_i0(beta);
  });
}

}  // namespace voxport::ops
