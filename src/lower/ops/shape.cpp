// What a program asks about a tensor: its sizes, its type, where it lies.
#include "lower/arithmetic.h"
#include "lower/ops/operands.h"
#include "lower/ops/ops.h"
#include "lower/ops/parts.h"

namespace voxport::ops {
namespace {

bool is_complex(const Item& item) { return item.cell() && item.cell()->is_complex; }

Number size_of(const Call& call, const Value& x, std::int64_t axis) {
  if (const auto number = x.dim(axis).constant()) return Number::of_int(*number);
  return call.scopes().size_of(gather(shape_of(x), Builder(x.graph()).int64(axis), 0));
}

std::vector<Number> sizes_of(const Call& call) {
  const Value x = call.tensor(first(call));
  std::vector<Number> sizes;
  for (std::size_t i = 0; i < seen_rank(call, first(call)); ++i)
    sizes.push_back(size_of(call, x, static_cast<std::int64_t>(i)));
  return sizes;
}

Number product(const Call& call, std::span<const Number> numbers) {
  Number product = Number::of_int(1);
  for (const Number& number : numbers) {
    const bool is_one = product.as_int() == 1;
    product = is_one ? number : compute(call.scopes(), Arithmetic::kMul, product, number);
  }
  return product;
}

std::vector<Number> strides_of(const Call& call) {
  const TensorCell* cell = call.item(first(call)).cell();
  if (!cell || !cell->is_contiguous)
    call.refuse("it reads the strides of a tensor that is not contiguous");
  const std::vector<Number> sizes = sizes_of(call);
  std::vector<Number> strides;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    strides.push_back(product(call, std::span(sizes).subspan(i + 1)));
  return strides;
}

// All of them, or that of `dim`.
Item one_or_all(const Call& call, const std::vector<Number>& numbers) {
  if (call.has("dim"))
    return numbers.at(static_cast<std::size_t>(call.axis("dim", numbers.size())));
  return Item::list({numbers.begin(), numbers.end()});
}

// The type of the elements as the program sees them.
DType seen_type(const Call& call) {
  const DType dtype = call.tensor(first(call)).dtype();
  if (!is_complex(call.item(first(call)))) return dtype;
  return dtype == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
}

Number bytes_of_one(const Call& call) {
  return Number::of_int(static_cast<std::int64_t>(voxport::size_of(seen_type(call))));
}

}  // namespace

// aten.size.int(Tensor self, int dim) -> int, aten.size(Tensor self) -> int[]
Item size(const Call& call, Builder&) {
  if (!call.has("dim")) return one_or_all(call, sizes_of(call));
  return size_of(call, call.tensor("self"), call.axis("dim", seen_rank(call, first(call))));
}

// aten.stride.int(Tensor self, int dim) -> int, aten.stride(Tensor self) -> int[]
Item stride(const Call& call, Builder&) { return one_or_all(call, strides_of(call)); }

// aten.dim(Tensor self) -> int
Item dim(const Call& call, Builder&) {
  return Number::of_int(static_cast<std::int64_t>(seen_rank(call, first(call))));
}

// aten.numel(Tensor self) -> int
Item numel(const Call& call, Builder&) { return product(call, sizes_of(call)); }

// aten._shape_as_tensor(Tensor self) -> Tensor
Item shape_as_tensor(const Call& call, Builder&) { return call.sizes(sizes_of(call)); }

// aten.is_same_size(Tensor self, Tensor other) -> bool
Item is_same_size(const Call& call, Builder&) {
  const Value self = call.tensor("self");
  const Value other = call.tensor("other");
  if (self.rank() != other.rank()) return Number::of_bool(false);
  Number is_same = Number::of_bool(true);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(self.rank()); ++i) {
    const Number equal =
        voxport::compare(call.scopes(), "Equal", size_of(call, self, i), size_of(call, other, i));
    is_same = voxport::logical_and(call.scopes(), is_same, equal);
  }
  return is_same;
}

// prim.dtype(Tensor a) -> int
Item dtype(const Call& call, Builder&) {
  const auto code = scalar_type_code(seen_type(call));
  if (!code) call.refuse("the type ", name_of(seen_type(call)), " has no number in TorchScript");
  return Number::of_int(*code);
}

// aten.element_size(Tensor self) -> int, prim.itemsize(Tensor a) -> int
Item element_size(const Call& call, Builder&) { return bytes_of_one(call); }

// prim.nbytes(Tensor a) -> int
Item nbytes(const Call& call, Builder&) {
  return compute(call.scopes(), Arithmetic::kMul, bytes_of_one(call),
                 product(call, sizes_of(call)));
}

// aten.is_floating_point(Tensor self) -> bool
Item is_floating_point(const Call& call, Builder&) {
  return Number::of_bool(is_floating(seen_type(call)));
}

// aten.is_complex(Tensor self) -> bool
Item is_complex_tensor(const Call& call, Builder&) {
  return Number::of_bool(is_complex(call.item(first(call))));
}

// aten.is_signed(Tensor self) -> bool
Item is_signed(const Call& call, Builder&) {
  const DType dtype = seen_type(call);
  const bool is_unsigned =
      dtype == DType::kBool || (dtype >= DType::kUInt8 && dtype <= DType::kUInt64);
  return Number::of_bool(!is_unsigned);
}

// aten.is_contiguous(Tensor self) -> bool
Item is_contiguous(const Call& call, Builder&) {
  if (call.has("memory_format") && call.integer("memory_format") != 0)
    call.refuse("it asks about a memory format that ONNX does not have");
  const TensorCell* cell = call.item(first(call)).cell();
  return Number::of_bool(!cell || cell->is_contiguous);
}

// prim.device(Tensor a) -> Device
// Wherever a model was saved, it will run on the machine at hand.
Item device(const Call&, Builder&) { return std::string("cpu"); }

// aten.device.with_index(str type, int index) -> Device; prim.type(Device self) -> str
Item device_type(const Call& call, Builder&) {
  const std::string name = call.text_at(0);
  return name.substr(0, name.find(':'));
}

// prim.layout(Tensor a) -> Layout: strided
Item layout(const Call&, Builder&) { return Number::of_int(0); }

// prim.is_cpu(Tensor a) -> bool
Item yes(const Call&, Builder&) { return Number::of_bool(true); }

// prim.is_cuda(Tensor a) -> bool, prim.requires_grad(Tensor a) -> bool and whatever else a tensor
// of a network at rest, on a CPU, is not.
Item no(const Call&, Builder&) { return Number::of_bool(false); }

// aten.result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType, and of numbers
Item result_type_code(const Call& call, Builder&) {
  const std::vector<Item> operands = {call.at(0), call.at(1)};
  return Number::of_int(scalar_type_code(result_type(operands)).value());
}

// aten.promote_types(ScalarType type1, ScalarType type2) -> ScalarType
Item promoted_type_code(const Call& call, Builder&) {
  const std::optional<DType> first = call.dtype("type1");
  const std::optional<DType> second = call.dtype("type2");
  if (!first || !second) call.refuse("an element type is None, expected two of them");
  return Number::of_int(scalar_type_code(promote_types(*first, *second)).value());
}

// aten._tensor_to_list(Tensor self) -> int[], prim.tolist(tensor, dim, type)
Item to_list(const Call& call, Builder& g) {
  constexpr std::int64_t kMaxLength = 4096;  // each becomes a number of its own
  if (!call.at(0).is_tensor()) call.refuse("it makes a list of ", call.at(0).kind_name());
  const Value x = call.memory().read(*call.at(0).cell());
  if (x.rank() == 0) return call.scopes().number_of(x);
  const auto length = x.dim(0).constant();
  if (x.rank() > 1 || !length || *length > kMaxLength)
    call.refuse("it makes a list of a tensor whose size is not known, or that has several axes");
  std::vector<Item> items;
  for (std::int64_t i = 0; i < *length; ++i)
    items.emplace_back(call.scopes().number_of(gather(x, g.int64(i), 0)));
  return Item::list(std::move(items));
}

// aten.is_nonzero(Tensor self) -> bool
Item is_nonzero(const Call& call, Builder&) {
  return as_kind(call.scopes(), call.number("self"), Number::Kind::kBool);
}

}  // namespace voxport::ops
