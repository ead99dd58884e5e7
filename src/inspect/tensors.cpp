#include "inspect/tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <unordered_map>

#include "base/fail.h"
#include "base/tensor_math.h"

namespace voxport {
namespace {

bool has_equal_names(const std::vector<NamedTensor>& tensors) {
  std::vector<std::string_view> names;
  names.reserve(tensors.size());
  for (const NamedTensor& named : tensors) names.push_back(named.name);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

// Through contiguous(), which refuses what cannot or should not be read before anything is
// allocated.
template <class Number>
std::vector<Number> read_as(const Tensor& tensor) {
  const Blob bytes = contiguous(tensor);
  const std::size_t item = size_of(tensor.dtype);
  std::vector<Number> numbers(bytes.size() / item);
  const std::byte* element = bytes.bytes().data();
  for (Number& number : numbers) {
    // A double holds every integer but those of 64 bits.
    if (std::is_integral_v<Number> && item == sizeof number) {
      std::memcpy(&number, element, sizeof number);
    } else {
      number = static_cast<Number>(element_value(tensor.dtype, element));
    }
    element += item;
  }
  return numbers;
}

}  // namespace

std::vector<NamedTensor> named_tensors(const Object& root) {
  std::size_t count = 0;
  for_each_tensor(root, [&](const std::string&, const Tensor&) { ++count; });
  std::vector<NamedTensor> tensors;
  tensors.reserve(count);
  for_each_tensor(root, [&](const std::string& path, const Tensor& tensor) {
    tensors.push_back({path.empty() ? "(root)" : path, &tensor});
  });
  if (!has_equal_names(tensors)) return tensors;
  std::unordered_map<std::string, int> seen;
  for (NamedTensor& named : tensors)
    if (const int number = ++seen[named.name]; number > 1) named.name += cat(" #", number);
  return tensors;
}

TensorInfo describe(std::string name, const Tensor& tensor) {
  TensorInfo info;
  info.name = std::move(name);
  info.dtype = name_of(tensor.dtype);
  info.shape = tensor.shape;
  info.bytes = tensor.size_in_bytes();
  info.unreadable = tensor.unreadable;
  return info;
}

// Mean and deviation in one pass, by Welford's method.
std::optional<TensorStats> measure(const Tensor& tensor) {
  if (!tensor.unreadable.empty() || !is_real(tensor.dtype)) return std::nullopt;
  TensorStats stats;
  stats.min = std::numeric_limits<double>::infinity();
  stats.max = -stats.min;
  double squares = 0;
  double count = 0;
  for_each_element(tensor, [&](const std::byte* element) {
    const double value = element_value(tensor.dtype, element);
    if (std::isnan(value)) {
      ++stats.nan;
    } else if (std::isinf(value)) {
      ++stats.infinite;
    } else {
      stats.min = std::min(stats.min, value);
      stats.max = std::max(stats.max, value);
      const double delta = value - stats.mean;
      stats.mean += delta / ++count;
      squares += delta * (value - stats.mean);
    }
  });
  if (count == 0) stats.min = stats.max = 0;
  stats.std = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return stats;
}

decltype(TensorValues::values) read_values(const Tensor& tensor) {
  switch (tensor.dtype) {
    case DType::kUInt64: return read_as<std::uint64_t>(tensor);
    case DType::kInt64:
    case DType::kInt32:
    case DType::kInt16:
    case DType::kInt8:
    case DType::kUInt32:
    case DType::kUInt16:
    case DType::kUInt8:
    case DType::kBool: return read_as<std::int64_t>(tensor);
    default: return read_as<double>(tensor);
  }
}

}  // namespace voxport
