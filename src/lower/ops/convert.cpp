// Other element types, copies, and values that are written over tensors.
#include <array>

#include "lower/complex_parts.h"
#include "lower/ops/complex.h"
#include "lower/ops/operands.h"
#include "lower/ops/ops.h"

namespace voxport::ops {
namespace {

// A tensor of its own. As PyTorch copies it, which keeps the order of axes in memory.
Item own_copy(const Call& call, const Value& value, bool is_complex) {
  Item copy = value;
  if (const TensorCell* self = call.at(0).cell()) copy.cell()->is_contiguous = self->is_contiguous;
  copy.cell()->is_complex = is_complex;
  return copy;
}

// The element type of a tensor, as the program sees it.
DType seen_dtype(const Call& call, std::string_view name) {
  const DType dtype = call.tensor(name).dtype();
  return call.item(name).is_complex() ? complex_of(dtype) : dtype;
}

// In another type. The imaginary part is dropped where that is a real one, as PyTorch does.
Value in_type(const Value& x, bool is_complex_now, DType dtype) {
  if (!voxport::is_complex(dtype)) return converted(is_complex_now ? real_part(x) : x, dtype);
  const Value parts = converted(x, voxport::part_of(dtype));
  return is_complex_now ? parts : pairs_of(parts);
}

Item to_dtype(const Call& call, std::optional<DType> dtype, bool is_copy) {
  const Value x = operand(call);
  const bool is_complex_now = call.at(0).is_complex();
  if (!dtype || *dtype == seen_dtype(call, first(call)))
    return is_copy ? own_copy(call, x, is_complex_now) : call.same(first(call));
  return own_copy(call, in_type(x, is_complex_now, *dtype), voxport::is_complex(*dtype));
}

// A value in the shape and the type of the first argument.
Item spread(const Call& call, const Value& value) {
  const Value x = operand(call);
  const Value same = converted(value, x.dtype());
  if (same.shape() == x.shape()) return same;
  call.walk().note_fixed(x.shape(), same.shape());
  return expand(same, Builder(x.graph()).node("Shape", {x}));
}

}  // namespace

// aten.to.dtype(Tensor self, ScalarType dtype, bool non_blocking=False, bool copy=False,
//   MemoryFormat? memory_format=None) -> Tensor, and by device, layout or another tensor
Item to(const Call& call, Builder&) {
  if (call.item("other").is_tensor())
    return to_dtype(call, seen_dtype(call, "other"), call.flag("copy"));
  return to_dtype(call, call.dtype("dtype"), call.flag("copy"));
}

// aten._to_copy(Tensor self, *, ScalarType? dtype=None, ...) -> Tensor
Item to_copy(const Call& call, Builder&) { return to_dtype(call, call.dtype("dtype"), true); }

// aten.type_as(Tensor self, Tensor other) -> Tensor
Item type_as(const Call& call, Builder&) {
  return to_dtype(call, seen_dtype(call, "other"), false);
}

// aten._cast_Float(Tensor self, bool non_blocking=False) -> Tensor
Item cast_by_name(const Call& call, Builder&) {
  struct Named {
    std::string_view name;
    DType dtype;
  };
  constexpr std::array<Named, 8> kNames = {{{"aten._cast_Byte", DType::kUInt8},
                                            {"aten._cast_Char", DType::kInt8},
                                            {"aten._cast_Double", DType::kFloat64},
                                            {"aten._cast_Float", DType::kFloat32},
                                            {"aten._cast_Half", DType::kFloat16},
                                            {"aten._cast_Int", DType::kInt32},
                                            {"aten._cast_Long", DType::kInt64},
                                            {"aten._cast_Short", DType::kInt16}}};
  const auto* named = std::ranges::find(kNames, call.name(), &Named::name);
  if (named == kNames.end()) call.refuse("the type that it casts to is not known");
  return to_dtype(call, named->dtype, false);
}

// aten._autocast_to_full_precision(Tensor self, bool cuda_enabled, bool cpu_enabled) -> Tensor
// aten._autocast_to_reduced_precision(Tensor self, bool cuda_enabled, bool cpu_enabled,
//   ScalarType cuda_dtype, ScalarType cpu_dtype) -> Tensor
Item autocast_to(const Call& call, Builder&) {
  const Number* is_enabled = call.at(2).number();
  if (!is_enabled || is_enabled->as_bool() != false)
    call.refuse("it casts automatically; save the network without autocast");
  return call.at(0);
}

// aten.clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
Item clone(const Call& call, Builder&) {
  Item copy = own_copy(call, operand(call), call.at(0).is_complex());
  constexpr std::int64_t kContiguousFormat = 0;
  if (call.integer_or_none("memory_format") == kContiguousFormat) copy.cell()->is_contiguous = true;
  return copy;
}

// aten.copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor
// aten.copy.t(t[] self) -> t[]
Item copy(const Call& call, Builder&) {
  if (const Container* container = call.at(0).container()) {
    if (container->stacked) call.refuse("it copies a list whose length is known only at run time");
    auto shallow = std::make_shared<Container>(*container);
    shallow->depth = 0;
    return shallow;
  }
  return spread(call, call.tensor("src"));
}

// aten.fill.Scalar(Tensor self, Scalar value) -> Tensor
Item fill(const Call& call, Builder&) {
  return spread(call, call.tensor_as("value", operand(call).dtype()));
}

// aten.zero(Tensor self) -> Tensor
Item zero(const Call& call, Builder&) {
  Item zeros = spread(call, like(operand(call), 0));
  zeros.cell()->is_complex = call.at(0).is_complex();
  return zeros;
}

// aten.view.dtype(Tensor self, ScalarType dtype) -> Tensor
Item view_dtype(const Call& call, Builder&) {
  if (call.dtype("dtype") == operand(call).dtype()) return call.same("self");
  call.refuse("it takes the bytes of a tensor for another type, which ONNX cannot express");
}

}  // namespace voxport::ops
