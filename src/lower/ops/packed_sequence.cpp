#include "lower/ops/packed_sequence.h"

#include <limits>

#include "lower/ops/ops.h"
#include "lower/ops/parts.h"

namespace voxport::ops {
namespace {

// The places of all true elements, in order: [n, rank].
Value places_of(const Value& mask) {
  return voxport::transpose(Builder(mask.graph()).node("NonZero", {mask}), {1, 0});
}

Value count_true(const Value& mask, std::int64_t axis) {
  return reduce_sum(cast(mask, DType::kInt64), {axis}, false);
}

// [b, t, ...] to [t, b, ...], and back.
Value with_swapped_start(const Value& x) {
  std::vector<std::int64_t> perm = {1, 0};
  for (std::size_t i = 2; i < x.rank(); ++i) perm.push_back(static_cast<std::int64_t>(i));
  return voxport::transpose(x, perm);
}

// Condition [t, b] in front of a value [t, b, ...].
Value where_inside(const Value& inside, const Value& yes, const Value& no) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 2; i < yes.rank(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  return where(axes.empty() ? inside : voxport::unsqueeze(inside, axes), yes, no);
}

PackedSequence padded_anew(const Value& data, const Value& batch_sizes) {
  Builder g(data.graph());
  const Value rows = range(voxport::slice(batch_sizes, 0, 0, 1));
  const Value inside =
      less(voxport::unsqueeze(rows, {0}), voxport::unsqueeze(batch_sizes, {1}));  // [t, b]
  Value shape = g.node("Shape", {inside});
  if (data.rank() > 1)
    shape = concat({shape, voxport::slice(g.node("Shape", {data}), 0, 1, kToTheEnd)}, 0);
  const Value padded = g.node("ScatterND", {zeros(shape, data.dtype()), places_of(inside), data});
  return {padded, count_true(inside, 0), true};
}

}  // namespace

Value steps_inside(const Value& lengths, const Value& steps) {
  return less(voxport::unsqueeze(range(steps), {1}), voxport::unsqueeze(lengths, {0}));
}

PackedSequence padded_sequence(const Call& call) {
  Scopes& scopes = call.scopes();
  const Value data = call.tensor("data");
  const TensorCell* cell = call.item("data").cell();
  if (const auto& packed = cell ? cell->packed : nullptr)
    return {scopes.here(packed->padded), scopes.here(packed->lengths), packed->is_zero_outside};
  return padded_anew(data, call.tensor("batch_sizes"));
}

Item packed_data(const PackedSequence& sequence) {
  const Value inside = steps_inside(sequence.lengths, voxport::size(sequence.padded, 0));
  Item data = gather_nd(sequence.padded, places_of(inside), 0);
  data.cell()->packed = std::make_shared<PackedSequence>(sequence);
  return data;
}

// aten._pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)
Item pack_padded_sequence(const Call& call, Builder&) {
  Value x = call.tensor("input");
  if (x.rank() < 2) call.refuse("its input has ", x.rank(), " axes, expected 2 or more");
  if (call.flag("batch_first")) x = with_swapped_start(x);
  const Value lengths = call.tensor_as("lengths", DType::kInt64);
  const Number longest = call.scopes().size_of(reduce_max(lengths, {0}, false));
  const Value padded = voxport::slice(x, 0, int64s(x, {0}), call.sizes({longest}));
  const Value inside = steps_inside(lengths, call.sizes({longest}));
  return Item::tuple({packed_data({padded, lengths, false}), count_true(inside, 1)});
}

// aten._pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar
//   padding_value, int total_length) -> (Tensor, Tensor)
Item pad_packed_sequence(const Call& call, Builder&) {
  const auto [padded, lengths, is_zero_outside] = padded_sequence(call);
  const Number padding = call.number("padding_value");
  const Number total = call.number("total_length");
  Value x = padded;
  const Value steps = voxport::size(x, 0);
  if (total.as_int().value_or(1) > 0) x = pad_after(x, 0, call.sizes({total}) - steps);
  const bool is_done = is_zero_outside && padding.as_float() == 0;
  if (!is_done) {
    const Value inside = steps_inside(lengths, voxport::size(x, 0));
    x = where_inside(inside, x, call.scopes().value_of(padding, x.dtype()));
  }
  return Item::tuple({call.flag("batch_first") ? with_swapped_start(x) : x, lengths});
}

}  // namespace voxport::ops
