// Sorting and searching: order, places, counts.
#include <cstdint>
#include <functional>
#include <limits>

#include "lower/arithmetic.h"
#include "lower/ops/operands.h"
#include "lower/ops/ops.h"
#include "lower/ops/parts.h"
#include "lower/ops/sum_type.h"

namespace voxport::ops {
namespace {

constexpr double kAboveAll = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Ordered {
  Value values, indices;

  Item item() const { return std::vector<Value>{values, indices}; }
};

// The first `k` (int64 of shape [1]) along an axis. Of equals those that come first are first, as
// in PyTorch's stable sort.
Ordered first_of(const Value& x, const Value& k, std::int64_t axis, bool largest) {
  Builder g(x.graph());
  if (x.rank() == 0) return {x, g.int64(0)};
  const std::vector<Value> found =
      g.nodes("TopK", {cast(x, sum_type(x.dtype())), k},
              {{"axis", axis}, {"largest", std::int64_t{largest}}, {"sorted", std::int64_t{1}}}, 2);
  return {cast(found[0], x.dtype()), found[1]};
}

// How many to take, or which, of the elements along an axis. Refuses more than there are.
Value count_of(const Call& call, const Value& x, std::int64_t axis) {
  const auto count = call.number("k").as_int();
  const auto size = x.rank() == 0 ? 1 : x.dim(axis).constant();
  if (count && (*count < 0 || (size && *count > *size)))
    call.refuse("its k is ", *count, ", on an axis of ", size ? cat(*size) : x.dim(axis).text(),
                " elements");
  return call.size("k");
}

Ordered sorted(const Value& x, std::int64_t axis, bool descending) {
  return first_of(x, x.rank() == 0 ? Value() : size(x, axis), axis, descending);
}

Ordered sorted(const Call& call) {
  const Value x = call.tensor("self");
  return sorted(x, call.axis("dim", x.rank()), call.flag("descending"));
}

// The k-th smallest along an axis, with its place.
Ordered kth(const Value& x, const Value& k, std::int64_t axis, bool keepdim) {
  const Ordered found = first_of(x, k, axis, false);
  if (x.rank() == 0) return found;
  const auto last = [&](const Value& of) {
    const Value one = slice(of, axis, -1, kToTheEnd);
    return keepdim ? one : squeeze(one, {axis});
  };
  return {last(found.values), last(found.indices)};
}

// Of an even number of elements PyTorch takes the lower one.
Value median_rank(const Value& x, std::int64_t axis) {
  return (size(x, axis) + int64s(x, {1})) / int64s(x, {2});
}

// The median of the numbers of each row, NaN left out; NaN where there is no other. The axis stays,
// with size 1, as it does below.
Value median_of_numbers(const Value& x, const Value& is_number, std::int64_t axis, Builder& g) {
  const Value above = where(is_number, x, like(x, kAboveAll));
  const Value count = reduce_sum(cast(is_number, DType::kInt64), {axis}, true);
  const Value place = maximum(count - g.int64(1), 0) / g.int64(2);
  const Value found = gather_elements(sorted(above, axis, false).values, place, axis);
  return where(less_or_equal(count, 0), like(x, kNan), found);
}

// The median of each row, NaN where the row has one.
Value median_of_row(const Value& x, const Value& is_number, std::int64_t axis) {
  const Value above = where(is_number, x, like(x, kAboveAll));
  const Value found = kth(above, median_rank(x, axis), axis, true).values;
  const Value numbers = reduce_sum(cast(is_number, DType::kInt64), {axis}, true);
  return where(less(numbers, size(x, axis)), like(x, kNan), found);
}

Value median_along(const Value& x, std::int64_t axis, bool skips_nan, Builder& g) {
  if (!is_floating(x.dtype())) return kth(x, median_rank(x, axis), axis, true).values;
  const Value is_number = g.node("Not", {is_nan(x)});
  return skips_nan ? median_of_numbers(x, is_number, axis, g) : median_of_row(x, is_number, axis);
}

// What most elements of each row are, the least of several such.
Value mode_along(const Value& x, std::int64_t axis, Builder& g) {
  const Value ordered = sorted(x, axis, false).values;
  const Value is_same =
      g.node("Equal", {unsqueeze(ordered, {axis + 1}), unsqueeze(ordered, {axis})});
  const Value counts = reduce_sum(cast(is_same, DType::kInt64), {axis + 1}, false);
  const Value first = g.node("ArgMax", {counts}, {{"axis", axis}, {"keepdims", std::int64_t{1}}});
  return gather_elements(ordered, first, axis);
}

// Where each row first has the value that was found in it.
Value place_of(const Value& x, const Value& found, std::int64_t axis, Builder& g) {
  Value is_there = g.node("Equal", {x, found});
  if (is_floating(x.dtype()))
    is_there = g.node("Or", {is_there, g.node("And", {is_nan(x), is_nan(found)})});
  return g.node("ArgMax", {cast(is_there, DType::kInt32)},
                {{"axis", axis}, {"keepdims", std::int64_t{1}}});
}

// One element of each row of x, chosen by `find` along an axis, and its place.
Item chosen_along(const Call& call, const std::function<Value(const Value&, std::int64_t)>& find,
                  Builder& g) {
  const Value self = call.tensor("self");
  if (self.rank() == 0) return Ordered{self, g.int64(0)}.item();
  const std::int64_t axis = call.axis("dim", self.rank());
  const Value x = cast(self, sum_type(self.dtype()));
  Ordered found{find(x, axis), {}};
  found.indices = place_of(x, found.values, axis, g);
  found.values = cast(found.values, self.dtype());
  if (call.flag("keepdim")) return found.item();
  return Ordered{squeeze(found.values, {axis}), squeeze(found.indices, {axis})}.item();
}

Value no_ints(Builder& g) { return g.constant("const", int64_tensor({0}, {})); }

// Unique's four outputs; of a type that ONNX Runtime has a kernel for.
std::vector<Value> unique_of(const Value& x, std::optional<std::int64_t> axis) {
  Builder g(x.graph());
  Attributes attributes = {{"sorted", std::int64_t{1}}};
  if (axis) attributes.emplace_back("axis", *axis);
  std::vector<Value> found =
      g.nodes("Unique", {cast(x, sum_type(x.dtype()))}, std::move(attributes), 4);
  found[0] = cast(found[0], x.dtype());
  return found;
}

// The different elements, the place of each in them, and their counts; empty where not asked for.
Item unique_item(const Call& call, const std::vector<Value>& found, const Value& inverse,
                 Builder& g) {
  const bool has_counts = call.flag("return_counts");
  return std::vector<Value>{found[0], call.flag("return_inverse") ? inverse : no_ints(g),
                            has_counts ? found[3] : no_ints(g)};
}

Value flat(const Value& x) { return x.rank() == 1 ? x : reshape(x, {-1}); }

Value true_places(const Value& bools) { return Builder(bools.graph()).node("NonZero", {bools}); }

// The places where a vector of bools is true.
Value chosen(const Value& bools) { return squeeze(true_places(bools), {0}); }

// How many of the sorted edges [..., n] lie below each element [..., m]; those equal to it count
// where `right`. NaN is above all.
Value insertion_points(const Value& edges, const Value& x, bool right, Builder& g) {
  const bool is_batched = edges.rank() > 1;
  const Value table = is_batched ? unsqueeze(edges, {-2}) : edges;
  const Value is_above = g.node(right ? "Greater" : "GreaterOrEqual", {table, unsqueeze(x, {-1})});
  const Value is_below = cast(g.node("Not", {is_above}), DType::kInt64);
  return reduce_sum(is_below, {-1}, false);
}

// Both in a type in which they can be compared.
std::pair<Value, Value> comparable(const Call& call, std::string_view a, std::string_view b) {
  const std::vector<Item> items = {call.item(a), call.item(b)};
  const DType dtype = result_type(items);
  const auto of = [&](std::string_view name) {
    return cast(call.tensor_as(name, dtype), sum_type(dtype));
  };
  return {of(a), of(b)};
}

Item inserted(const Call& call, const Value& edges, const Value& x, bool right, Builder& g) {
  const Value found = insertion_points(edges, x, right, g);
  return call.flag("out_int32") ? cast(found, DType::kInt32) : found;
}

// repeats[i] times i, for all i, one after the other: int64 of rank 1.
Value repeated_indices(const Call& call, const Value& repeats, Builder& g) {
  const Value counts = cast(repeats, DType::kInt64);
  const Value ends = cum_sum(counts, 0);
  const Number total = call.has("output_size")
                           ? call.number("output_size")
                           : call.scopes().size_of(reduce_sum(counts, {0}, false));
  const Value places = range(call.sizes(std::vector<Number>{total}));
  const Value is_over = g.node("LessOrEqual", {ends, unsqueeze(places, {1})});
  return reduce_sum(cast(is_over, DType::kInt64), {1}, false);
}

// Each index of an axis as often as a number says.
Value repeated_evenly(const Call& call, const Value& x, std::int64_t axis) {
  const Value times = call.size("repeats");
  const Value all = range(size(x, axis) * times);
  return all / Builder(x.graph()).node("Max", {times, int64s(x, {1})});  // of 0 times there is none
}

Value repeats_for(const Value& x, std::int64_t axis, const Value& repeats) {
  const bool is_one = repeats.rank() == 0 || repeats.dim(0) == Dim(1);
  return is_one ? expand(repeats, size(x, axis)) : repeats;
}

struct Span {
  Value low, high;
};

// The range of a histogram: where the program gives none, that of the data.
Span histogram_span(const Call& call, const Value& x, Builder& g) {
  const double low = call.real("min");
  const double high = call.real("max");
  if (low != high) return {g.scalar(low, x.dtype()), g.scalar(high, x.dtype())};
  const Value least = g.node("ReduceMin", {x}, {{"keepdims", std::int64_t{0}}});
  const Value most = g.node("ReduceMax", {x}, {{"keepdims", std::int64_t{0}}});
  const Value widening = cast(g.node("Equal", {least, most}), x.dtype());
  return {least - widening, most + widening};
}

// Elements of a sorted axis at positions (floats, [n]) that may lie between two of them.
Value picked(const Value& sorted, const Value& position, std::int64_t axis,
             std::string_view interpolation, Builder& g) {
  const auto at = [&](const char* rounding) {
    return gather(sorted, cast(g.node(rounding, {position}), DType::kInt64), axis);
  };
  if (interpolation == "lower") return at("Floor");
  if (interpolation == "higher") return at("Ceil");
  if (interpolation == "nearest") return at("Round");
  const Value low = at("Floor");
  if (interpolation == "midpoint") return low + (at("Ceil") - low) * 0.5;
  Value weight = position - g.node("Floor", {position});
  std::vector<std::int64_t> after;
  for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < sorted.rank(); ++i)
    after.push_back(static_cast<std::int64_t>(after.size()) + 1);
  if (!after.empty()) weight = unsqueeze(weight, after);
  return low + (at("Ceil") - low) * weight;
}

// All axes in order, but for one that comes first.
std::vector<std::int64_t> brought_forward(std::int64_t axis, std::size_t rank) {
  std::vector<std::int64_t> perm = {axis};
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rank); ++i)
    if (i != axis) perm.push_back(i);
  return perm;
}

// Python's own lists, sorted where they are.
Item sorted_list(const Call& call) {
  Container& list = *call.item("self").container();
  for (const Item& item : list.items)
    if (!item.number() || !item.number()->is_constant())
      call.refuse("it sorts a list of numbers that are known only at run time");
  std::ranges::stable_sort(list.items, [&](const Item& a, const Item& b) {
    const double x = *a.number()->as_float();
    const double y = *b.number()->as_float();
    return call.flag("reverse") ? x > y : x < y;
  });
  return {};
}

}  // namespace

// aten.sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False)
//   -> (Tensor values, Tensor indices)
Item sort(const Call& call, Builder&) {
  return call.item("self").is_list() ? sorted_list(call) : sorted(call).item();
}

// aten.argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor
Item argsort(const Call& call, Builder&) { return sorted(call).indices; }

// aten.msort(Tensor self) -> Tensor
Item msort(const Call& call, Builder&) { return sorted(call.tensor("self"), 0, false).values; }

// aten.topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True)
//   -> (Tensor values, Tensor indices)
Item topk(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const std::int64_t axis = call.axis("dim", x.rank());
  return first_of(x, count_of(call, x, axis), axis, call.flag("largest")).item();
}

// aten.kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False)
//   -> (Tensor values, Tensor indices)
Item kthvalue(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  const std::int64_t axis = call.axis("dim", x.rank());
  return kth(x, count_of(call, x, axis), axis, call.flag("keepdim")).item();
}

// aten.median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
// aten.median(Tensor self) -> Tensor
// aten.nanmedian, which takes no notice of NaN
Item median(const Call& call, Builder& g) {
  const bool skips_nan = call.name() == "aten.nanmedian";
  const auto find = [&](const Value& x, std::int64_t axis) {
    return median_along(x, axis, skips_nan, g);
  };
  if (call.has("dim")) return chosen_along(call, find, g);
  const Value self = call.tensor("self");
  return cast(squeeze(find(cast(flat(self), sum_type(self.dtype())), 0), {0}), self.dtype());
}

// aten.mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)
Item mode(const Call& call, Builder& g) {
  return chosen_along(
      call, [&](const Value& x, std::int64_t axis) { return mode_along(x, axis, g); }, g);
}

// aten.quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str
//   interpolation="linear") -> Tensor, and .scalar
// Several quantiles lie along a new first axis.
Item quantile(const Call& call, Builder& g) {
  const Value self = call.tensor("self");
  if (!is_floating(self.dtype())) call.refuse("it takes floats, found ", name_of(self.dtype()));
  const bool is_whole = !call.has("dim") || self.rank() == 0;
  const Value x = is_whole ? flat(self) : self;
  const std::int64_t axis = is_whole ? 0 : call.axis("dim", x.rank());
  const Value q = call.tensor_as("q", x.dtype());
  const Value position = flat(q) * (cast(size(x, axis), x.dtype()) - 1);
  const Value all = sorted(x, axis, false).values;
  Value found = picked(all, position, axis, call.text("interpolation"), g);
  if (q.rank() > 0) found = transpose(found, brought_forward(axis, found.rank()));
  const std::int64_t kept = axis + static_cast<std::int64_t>(q.rank());
  if (q.rank() == 0) found = squeeze(found, {axis});
  if (!call.flag("keepdim")) return found;
  if (!is_whole) return unsqueeze(found, {kept});
  std::vector<std::int64_t> ones;
  for (std::size_t i = 0; i < self.rank(); ++i)
    ones.push_back(static_cast<std::int64_t>(i + q.rank()));
  return ones.empty() ? found : unsqueeze(found, ones);
}

// aten._unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool
//   return_counts=False) -> (Tensor, Tensor, Tensor)
// aten._unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)
Item unique(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  const std::vector<Value> found = unique_of(x, std::nullopt);
  Item item = unique_item(call, found, reshape(found[2], g.node("Shape", {x})), g);
  if (call.name() == "aten._unique") item.container()->items.pop_back();
  return item;
}

// aten.unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool
//   return_counts=False) -> (Tensor, Tensor, Tensor)
Item unique_dim(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  const std::vector<Value> found = unique_of(x, call.axis("dim", x.rank()));
  return unique_item(call, found, found[2], g);
}

// aten.unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int?
//   dim=None) -> (Tensor, Tensor, Tensor)
Item unique_consecutive(const Call& call, Builder& g) {
  const Value self = call.tensor("self");
  if (call.has("dim") && self.rank() != 1) call.refuse("it compares whole parts of a tensor");
  const Value x = flat(self);
  const Value wide = cast(x, sum_type(x.dtype()));
  const Value differs =
      g.node("Not", {g.node("Equal", {slice(wide, 0, 1, kToTheEnd), slice(wide, 0, 0, -1)})});
  // The first element is new, where there is one.
  const Value first = cast(slice(range(size(x, 0)), 0, 0, 1) + g.int64(1), DType::kBool);
  const Value is_new = concat({first, differs}, 0);
  const Value starts = chosen(is_new);
  const Value ends = concat({slice(starts, 0, 1, kToTheEnd), size(x, 0)}, 0);
  const Value run = cum_sum(cast(is_new, DType::kInt64), 0) - g.int64(1);
  const Value inverse = reshape(run, g.node("Shape", {self}));
  return unique_item(call, {gather(x, starts, 0), {}, {}, ends - starts}, inverse, g);
}

// aten.nonzero(Tensor self) -> Tensor
Item nonzero(const Call& call, Builder&) {
  const Value x = call.tensor("self");
  if (x.rank() == 0) call.refuse("a tensor without axes has no places");
  return transpose(true_places(cast(x, DType::kBool)), {1, 0});
}

// aten.nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor
Item nonzero_static(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  if (x.rank() == 0) call.refuse("a tensor without axes has no places");
  const Value count = call.size("size");
  const Value filler = expand(call.scopes().value_of(call.number("fill_value")),
                              concat({count, g.int64s({static_cast<std::int64_t>(x.rank())})}, 0));
  const Value found = transpose(true_places(cast(x, DType::kBool)), {1, 0});
  return slice(concat({found, filler}, 0), 0, g.int64s({0}), count);
}

// aten.nonzero_numpy(Tensor self) -> Tensor[]
// aten.where(Tensor condition) -> Tensor[]
Item nonzero_by_axis(const Call& call, Builder& g) {
  Value x = call.tensor(call.arguments().front().first);
  if (x.rank() == 0) x = reshape(x, {1});
  const Value places = true_places(cast(x, DType::kBool));
  std::vector<Item> axes;
  for (std::size_t i = 0; i < x.rank(); ++i)
    axes.emplace_back(gather(places, g.int64(static_cast<std::int64_t>(i)), 0));
  return Item::list(std::move(axes));
}

// aten.bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False)
//   -> Tensor
Item bucketize(const Call& call, Builder& g) {
  const auto [x, edges] = comparable(call, "self", "boundaries");
  return inserted(call, edges, x, call.flag("right"), g);
}

// aten.searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool
//   right=False, str? side=None, Tensor? sorter=None) -> Tensor
Item searchsorted(const Call& call, Builder& g) {
  auto [edges, x] = comparable(call, "sorted_sequence", "self");
  if (call.has("sorter")) edges = gather_elements(edges, call.tensor("sorter"), -1);
  const bool right = call.flag("right") || (call.has("side") && call.text("side") == "right");
  return inserted(call, edges, x, right, g);
}

// aten.isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool
//   invert=False) -> Tensor
Item isin(const Call& call, Builder& g) {
  const auto [elements, tested] =
      comparable(call, call.arguments()[0].first, call.arguments()[1].first);
  const Value is_equal = g.node("Equal", {unsqueeze(elements, {-1}), flat(tested)});
  const Value count = reduce_sum(cast(is_equal, DType::kInt64), {-1}, false);
  return call.flag("invert") ? less_or_equal(count, 0) : greater(count, 0);
}

// aten.bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor
Item bincount(const Call& call, Builder& g) {
  const Value x = call.tensor_as("self", DType::kInt64);
  const Value least = call.size("minlength") - g.int64s({1});
  const Value largest =
      g.node("ReduceMax", {concat({x, least}, 0)}, {{"keepdims", std::int64_t{0}}});
  const Number bins = call.scopes().size_of(largest + g.int64(1));
  Value weights = expand(g.int64(1), g.node("Shape", {x}));
  if (call.has("weights")) {
    const DType given = call.tensor("weights").dtype();
    weights = call.tensor_as("weights", given == DType::kFloat32 ? given : DType::kFloat64);
  }
  return g.node("ScatterElements",
                {zeros(call.sizes(std::vector<Number>{bins}), weights.dtype()), x, weights},
                {{"axis", std::int64_t{0}}, {"reduction", std::string("add")}});
}

// aten.histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor
Item histc(const Call& call, Builder& g) {
  const Value self = call.tensor("self");
  if (!is_floating(self.dtype())) call.refuse("it takes floats, found ", name_of(self.dtype()));
  const Value x = flat(cast(self, sum_type(self.dtype())));
  const Span span = histogram_span(call, x, g);
  const auto bins = call.integer("bins");
  const Value place =
      g.node("Floor", {(x - span.low) * static_cast<double>(bins) / (span.high - span.low)});
  const Value bin = g.node("Min", {place, g.scalar(static_cast<double>(bins - 1), x.dtype())});
  const Value is_inside =
      g.node("And", {greater_or_equal(x, span.low), g.node("LessOrEqual", {x, span.high})});
  const Value numbers = cast(range(g.int64s({bins})), x.dtype());
  const Value is_bin = g.node("Equal", {unsqueeze(bin, {1}), numbers});
  const Value counted = g.node("And", {is_bin, unsqueeze(is_inside, {1})});
  return cast(reduce_sum(cast(counted, DType::kInt64), {0}, false), self.dtype());
}

// aten.repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt?
//   output_size=None) -> Tensor, .self_int and .Tensor, of the indices only
Item repeat_interleave(const Call& call, Builder& g) {
  if (!call.has("self")) return repeated_indices(call, call.tensor("repeats"), g);
  const Value self = call.tensor("self");
  const Value x = call.has("dim") && self.rank() > 0 ? self : flat(self);
  const std::int64_t axis = call.has("dim") ? call.axis("dim", x.rank()) : 0;
  if (!call.item("repeats").is_tensor()) return gather(x, repeated_evenly(call, x, axis), axis);
  const Value repeats = repeats_for(x, axis, call.tensor("repeats"));
  return gather(x, repeated_indices(call, repeats, g), axis);
}

// aten.equal(Tensor self, Tensor other) -> bool
Item equal(const Call& call, Builder& g) {
  const Shape self = call.tensor("self").shape();
  const Shape other = call.tensor("other").shape();
  bool is_same = self.size() == other.size();
  for (std::size_t i = 0; is_same && i < self.size(); ++i) {
    const Dim difference = self[i] - other[i];
    if (!difference.is_constant())
      call.refuse("whether the sizes are equal is known only at run time");
    is_same = difference == Dim(0);
  }
  if (!is_same) return Number::of_bool(false);
  const auto [x, y] = comparable(call, "self", "other");
  const Value differs = g.node("Not", {g.node("Equal", {x, y})});
  const Value count = reduce_sum(cast(flat(differs), DType::kInt64), {0}, false);
  return call.scopes().number_of(less_or_equal(count, 0));
}

}  // namespace voxport::ops
