#include "passes/evaluate/operands.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "passes/evaluate.h"

namespace voxport {
namespace {

// How elements of a dtype are read and written, as double or as int64.
template <class Number>
struct Format {
  void (*load)(const std::byte* from, std::vector<Number>& to);
  void (*store)(const std::vector<Number>& from, char* to);
};

template <class Number, class Element>
Number number_at(const std::byte* from) {
  Element element;
  std::memcpy(&element, from, sizeof element);
  return static_cast<Number>(element);
}

template <class Number, class Element>
void load(const std::byte* from, std::vector<Number>& to) {
  for (Number& number : to) {
    number = number_at<Number, Element>(from);
    from += sizeof(Element);
  }
}

template <class Number, class Element>
void store(const std::vector<Number>& from, char* to) {
  for (const Number& number : from) {
    const auto element = static_cast<Element>(number);
    std::memcpy(to, &element, sizeof element);
    to += sizeof element;
  }
}

template <DType kDType>
void load_short(const std::byte* from, std::vector<double>& to) {
  for (double& number : to) {
    number = element_value(kDType, from);
    from += sizeof(std::uint16_t);
  }
}

template <std::uint16_t (*kBits)(double)>
void store_short(const std::vector<double>& from, char* to) {
  for (const double& number : from) {
    const std::uint16_t bits = kBits(number);
    std::memcpy(to, &bits, sizeof bits);
    to += sizeof bits;
  }
}

template <class Number, class Element>
constexpr Format<Number> kFormat = {load<Number, Element>, store<Number, Element>};

template <class Number>
Format<Number> format_of(DType dtype);

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
    case DType::kBool: return kFormat<Int, bool>;
    default: return kFormat<Int, Int>;
  }
}

}  // namespace

template <class Number>
std::vector<Number> numbers_in(const Tensor& tensor) {
  std::vector<Number> numbers(static_cast<std::size_t>(tensor.numel()));
  format_of<Number>(tensor.dtype).load(contiguous(tensor).bytes().data(), numbers);
  if (tensor.size_in_bytes() > kHeldBytes) tensor.storage->release();
  return numbers;
}
template std::vector<double> numbers_in(const Tensor& tensor);
template std::vector<std::int64_t> numbers_in(const Tensor& tensor);

template <class Number>
Blob bytes_of(DType dtype, const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * size_of(dtype), '\0');
  format_of<Number>(dtype).store(numbers, bytes.data());
  return Blob::own(std::move(bytes));
}
template Blob bytes_of(DType dtype, const std::vector<double>& numbers);
template Blob bytes_of(DType dtype, const std::vector<std::int64_t>& numbers);

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
