// Elements taken by index or by mask.
#include "lower/ops/index.h"

#include "lower/arithmetic.h"
#include "lower/ops/ops.h"
#include "lower/ops/parts.h"

namespace voxport::ops {
namespace {

bool is_mask(const Value& index) {
  return index.dtype() == DType::kBool || index.dtype() == DType::kUInt8;
}

// Both of the shape that they broadcast to.
std::vector<Value> broadcast_all(std::vector<Value> values) {
  const auto is_alike = [&](const Value& value) { return value.shape() == values[0].shape(); };
  if (std::ranges::all_of(values, is_alike)) return values;
  Value whole = values[0];
  for (std::size_t i = 1; i < values.size(); ++i) whole = expand(whole, shape_of(values[i]));
  for (Value& value : values)
    if (value.shape() != whole.shape()) value = expand(value, shape_of(whole));
  return values;
}

// The places of what a mask chooses, int64 [k, rank].
Value places_of(const Call& call, const Value& mask) {
  return voxport::transpose(call.scopes().non_zero(mask), {1, 0});
}

}  // namespace

Value as_indices(const Value& index) {
  return index.dtype() == DType::kInt64 ? index : cast(index, DType::kInt64);
}

Value as_mask(const Value& mask) {
  return mask.dtype() == DType::kBool ? mask : cast(mask, DType::kBool);
}

Value along(const Value& x) { return at_least(x, 1); }

Chosen chosen_by(const Call& call, const std::vector<Value>& indices, Builder& g) {
  Chosen chosen;
  std::vector<Value> values;
  std::int64_t axis = 0;
  int count = 0;  // of indices and masks
  for (const Value& index : indices) {
    if (index && is_mask(index)) {
      if (index.rank() == 0) call.refuse("a mask without axes chooses all or nothing");
      const Value mask = as_mask(index);
      const Value places = call.scopes().non_zero(mask);
      for (std::int64_t i = 0; i < rank_of(index); ++i) {
        chosen.axes.push_back(axis++);
        values.push_back(gather(places, g.int64(i), 0));
      }
      chosen.mask = mask;
      ++count;
      continue;
    }
    if (index) {
      chosen.axes.push_back(axis);
      values.push_back(as_indices(index));
      ++count;
    }
    ++axis;
  }
  if (values.empty()) call.refuse("there is no index");
  if (count > 1) chosen.mask = {};
  if (chosen.mask) {
    chosen.places = places_of(call, chosen.mask);
  } else if (values.size() == 1) {
    chosen.single = values[0];
    chosen.places = voxport::unsqueeze(values[0], {-1});
  } else {
    values = broadcast_all(std::move(values));
    for (Value& value : values) value = voxport::unsqueeze(value, {-1});
    chosen.places = concat(values, rank_of(values[0]) - 1);
  }
  return chosen;
}

std::vector<std::int64_t> Chosen::to_pytorch(std::size_t rank) const {
  const auto count = static_cast<std::int64_t>(axes.size());
  const std::int64_t front = rank_of(places) - 1;
  const auto total = front + static_cast<std::int64_t>(rank) - count;
  const bool is_adjacent = axes.back() - axes.front() + 1 == count;
  const std::int64_t before = is_adjacent ? axes.front() : 0;
  std::vector<std::int64_t> perm;
  for (std::int64_t i = 0; i < total; ++i)
    perm.push_back(i < before ? front + i : i < before + front ? i - before : i);
  return perm;
}

// aten.index.Tensor(Tensor self, Tensor?[] indices) -> Tensor
Item index(const Call& call, Builder& g) {
  if (!call.at(0).is_tensor()) return index_in_list(call, g);
  const Value x = call.tensor("self");
  const Chosen chosen = chosen_by(call, call.tensors_or_none("indices"), g);
  if (chosen.axes.size() > x.rank() || chosen.axes.back() >= rank_of(x))
    call.refuse("it has more indices than the tensor has axes, which are ", x.rank());
  if (chosen.single) return gather(x, chosen.single, chosen.axes[0]);
  const Value picked = gather_nd(permuted(x, to_front(x.rank(), chosen.axes)), chosen.places, 0);
  return permuted(picked, chosen.to_pytorch(x.rank()));
}

// aten.index_select(Tensor self, int dim, Tensor index) -> Tensor
Item index_select(const Call& call, Builder&) {
  const Value x = along(call.tensor("self"));
  const Value picked =
      gather(x, flattened(as_indices(call.tensor("index"))), call.axis("dim", x.rank()));
  const bool has_axes = call.tensor("self").rank() > 0;
  return has_axes ? picked : reshape(picked, std::vector<std::int64_t>{});
}

// aten.gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor
Item gather_along(const Call& call, Builder&) {
  const Value x = along(call.tensor("self"));
  const Value index = as_indices(call.tensor("index"));
  const Value picked = gather_elements(x, along(index), call.axis("dim", x.rank()));
  return index.rank() > 0 ? picked : reshape(picked, std::vector<std::int64_t>{});
}

// aten.take(Tensor self, Tensor index) -> Tensor
Item take(const Call& call, Builder&) {
  return gather(flattened(call.tensor("self")), as_indices(call.tensor("index")), 0);
}

// aten.take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor
Item take_along_dim(const Call& call, Builder& g) {
  const Value x = call.tensor("self");
  const Value indices = as_indices(call.tensor("indices"));
  if (!call.has("dim")) return gather_elements(flattened(x), flattened(indices), 0);
  const std::int64_t axis = call.axis("dim", x.rank());
  if (x.rank() == 0 || indices.rank() != x.rank())
    call.refuse("it takes from a tensor of rank ", x.rank(), " by indices of rank ",
                indices.rank());
  // All axes but one broadcast.
  const auto shape_without = [&](const Value& of) {
    return shape_with(of, axis, axis + 1, g.int64s({1}));
  };
  Shape a = x.shape(), b = indices.shape();
  a[static_cast<std::size_t>(axis)] = b[static_cast<std::size_t>(axis)] = 1;
  if (a == b) return gather_elements(x, indices, axis);
  return gather_elements(expand(x, shape_without(indices)), expand(indices, shape_without(x)),
                         axis);
}

// aten.masked_select(Tensor self, Tensor mask) -> Tensor
Item masked_select(const Call& call, Builder&) {
  const std::vector<Value> both =
      broadcast_all({along(call.tensor("self")), along(as_mask(call.tensor("mask")))});
  return gather_nd(both[0], places_of(call, both[1]), 0);
}

// aten.embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool
//   scale_grad_by_freq=False, bool sparse=False) -> Tensor
Item embedding(const Call& call, Builder&) {
  return gather(call.tensor("weight"), call.tensor("indices"), 0);
}

// aten.embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False,
//   int mode=0, bool sparse=False, Tensor? per_sample_weights=None,
//   bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)
// Only the first result: the others serve training.
Item embedding_bag(const Call& call, Builder& g) {
  constexpr std::int64_t kSum = 0, kMean = 1, kMax = 2;
  const std::int64_t mode = call.integer("mode");
  if (mode < kSum || mode > kMax) call.refuse("its mode is ", mode, ", expected sum, mean or max");
  const Value indices = as_indices(call.tensor("indices"));
  if (indices.rank() != 1) call.refuse("the indices have ", indices.rank(), " axes, expected 1");
  Value offsets = as_indices(call.tensor("offsets"));
  if (call.flag("include_last_offset")) offsets = voxport::slice(offsets, 0, 0, -1);

  Value rows = gather(call.tensor("weight"), indices, 0);  // [n, c]
  if (const Value scale = call.tensor_or_none("per_sample_weights"))
    rows = rows * voxport::unsqueeze(scale, {1});

  // A bag ends where the next one starts: is_in [bags, n].
  const Value at = range(voxport::size(indices, 0));
  const Value starts = voxport::unsqueeze(offsets, {1});
  const Value next =
      concat({voxport::slice(offsets, 0, 1, kToTheEnd), voxport::size(indices, 0)}, 0);
  Value is_in = g.node("And", {g.node("GreaterOrEqual", {at, starts}),
                               g.node("Less", {at, voxport::unsqueeze(next, {1})})});
  const auto padding = call.integer_or_none("padding_idx");
  if (padding && *padding >= 0)
    is_in = g.node("And", {is_in, g.node("Not", {g.node("Equal", {indices, g.int64(*padding)})})});

  const Value weights = cast(is_in, rows.dtype());
  const Value counts = reduce_sum(weights, {1}, true);  // [bags, 1]
  Value bags;
  if (mode == kMax) {
    const Value lowest = g.scalar(-std::numeric_limits<double>::infinity(), rows.dtype());
    const Value kept =
        choose(voxport::unsqueeze(is_in, {2}), voxport::unsqueeze(rows, {0}), lowest);
    const Value is_empty = g.node("Equal", {counts, g.scalar(0, rows.dtype())});
    bags = choose(is_empty, g.scalar(0, rows.dtype()), reduce_max(kept, {1}, false));
  } else {
    bags = voxport::matmul(weights, rows);
    if (mode == kMean) bags = bags / maximum(counts, 1);
  }
  return Item::tuple({bags, Item(), Item(), Item()});
}

// aten.embedding_renorm_(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor
Item embedding_renorm(const Call& call, Builder&) {
  call.refuse(
      "max_norm of an embedding changes its weights while it runs; apply it to the weights "
      "and leave it out");
}

}  // namespace voxport::ops
