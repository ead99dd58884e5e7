#include "passes/evaluate/operands.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "passes/evaluate.h"

namespace voxport {
namespace {

template <class Number, class Element>
Number load(const std::byte* element) {
  Element value;
  std::memcpy(&value, element, sizeof value);
  return static_cast<Number>(value);
}

template <class Number, class Element>
void store(Number number, char* element) {
  const auto value = static_cast<Element>(number);
  std::memcpy(element, &value, sizeof value);
}

template <DType kDType>
double load_short(const std::byte* element) {
  return element_value(kDType, element);
}

template <std::uint16_t (*kBits)(double)>
void store_short(double value, char* element) {
  const std::uint16_t bits = kBits(value);
  std::memcpy(element, &bits, sizeof bits);
}

template <class Number, class Element>
constexpr Format<Number> kFormat = {load<Number, Element>, store<Number, Element>};

}  // namespace

template <>
Format<double> format_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat64: return kFormat<double, double>;
    case DType::kFloat16: return {load_short<DType::kFloat16>, store_short<float16_bits>};
    case DType::kBFloat16: return {load_short<DType::kBFloat16>, store_short<bfloat16_bits>};
    default: return kFormat<double, float>;
  }
}

template <>
Format<std::int64_t> format_of(DType dtype) {
  using Int = std::int64_t;
  switch (dtype) {
    case DType::kInt8: return kFormat<Int, std::int8_t>;
    case DType::kInt16: return kFormat<Int, std::int16_t>;
    case DType::kInt32: return kFormat<Int, std::int32_t>;
    case DType::kUInt8: return kFormat<Int, std::uint8_t>;
    case DType::kUInt16: return kFormat<Int, std::uint16_t>;
    case DType::kUInt32: return kFormat<Int, std::uint32_t>;
    case DType::kBool: return {load<Int, bool>, store<Int, bool>};
    default: return kFormat<Int, Int>;
  }
}

template <class Number>
std::vector<Number> numbers_in(const Tensor& tensor) {
  const Format<Number> format = format_of<Number>(tensor.dtype);
  std::vector<Number> numbers(static_cast<std::size_t>(tensor.numel()));
  const Blob bytes = contiguous(tensor);
  const std::byte* from = bytes.bytes().data();
  for (Number& number : numbers) {
    number = format.load(from);
    from += size_of(tensor.dtype);
  }
  if (tensor.size_in_bytes() > kHeldBytes) tensor.storage->release();
  return numbers;
}
template std::vector<double> numbers_in(const Tensor& tensor);
template std::vector<std::int64_t> numbers_in(const Tensor& tensor);

std::optional<Ints> Operands::ints(std::size_t i) const {
  if (!has(i) || inputs[i]->dtype != DType::kInt64) return std::nullopt;
  return int64_values(*inputs[i]);
}

std::optional<Ints> Operands::axes(std::size_t input) const {
  if (has(input)) return ints(input);
  const Attribute* given = node.find("axes");
  return given ? std::optional(std::get<Ints>(*given)) : std::nullopt;
}

bool is_countable(const Ints& shape) {
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  const auto numel = checked_numel(shape);
  return numel && *numel <= kMost;
}

std::optional<Ints> broadcast_shape(const Ints& a, const Ints& b) {
  Ints shape(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  return is_countable(shape) ? std::optional(shape) : std::nullopt;
}

Ints broadcast_strides(const Ints& from, const Ints& to) {
  Ints strides(to.size(), 0);
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t size = from[from.size() - 1 - i];
    if (size != 1) strides[to.size() - 1 - i] = stride;
    stride *= size;
  }
  return strides;
}

}  // namespace voxport
