#include "checkpoint/dequantized.h"

#include <cstring>
#include <utility>

#include "base/fail.h"

namespace voxport {
namespace {

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  for_each_element(tensor, [&](const std::byte* element) {
    values.push_back(element_value(tensor.dtype, element));
  });
  return values;
}

template <class T>
Tensor tensor_of(DType dtype, T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return make_tensor(dtype, {1}, {}, 0, storage_of(Blob::own(std::move(bytes))));
}

class DequantizedStorage : public Storage {
 public:
  DequantizedStorage(Tensor integers, Quantizer quantizer)
      : Storage(static_cast<std::uint64_t>(integers.numel()) * sizeof(float)),
        integers_(std::move(integers)),
        quantizer_(std::move(quantizer)) {}

 private:
  // PyTorch computes in float32, too.
  Blob load() const override {
    const std::vector<double> scales = values_of(quantizer_.scales);
    const std::vector<double> zero_points = values_of(quantizer_.zero_points);
    std::size_t below = 1;  // how many elements in a row have the same scale
    for (std::size_t axis = quantizer_.axis + 1; axis < integers_.shape.size(); ++axis)
      below *= static_cast<std::size_t>(integers_.shape[axis]);
    const Blob integers = contiguous(integers_);
    std::string bytes(size(), '\0');
    for (std::size_t i = 0; i < integers.bytes().size(); ++i) {
      const std::size_t channel = i / below % scales.size();
      const double integer = element_value(DType::kInt8, integers.bytes().data() + i);
      const float value =
          static_cast<float>(scales[channel]) * static_cast<float>(integer - zero_points[channel]);
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
    return Blob::own(std::move(bytes));
  }

  Tensor integers_;
  Quantizer quantizer_;
};

}  // namespace

Quantizer quantizer_of(double scale, std::int64_t zero_point) {
  return {tensor_of(DType::kFloat64, scale), tensor_of(DType::kInt64, zero_point), 0};
}

Tensor dequantized(Tensor integers, Quantizer quantizer) {
  const std::int64_t count = quantizer.scales.numel();
  const bool is_known =
      quantizer.scales.unreadable.empty() && quantizer.zero_points.unreadable.empty() &&
      quantizer.scales.dtype == DType::kFloat64 && quantizer.zero_points.dtype == DType::kInt64;
  const bool fits = is_known && count == quantizer.zero_points.numel() &&
                    (count == 1 || (quantizer.axis < integers.shape.size() &&
                                    count == integers.shape[quantizer.axis]));
  if (!fits)
    fail(Error::kCorrupt, "a quantized tensor of shape ", shape_text(integers.shape),
         " has scales and zero points that do not fit it");
  const std::vector<std::int64_t> shape = integers.shape;
  return make_tensor(
      DType::kFloat32, shape, {}, 0,
      std::make_shared<DequantizedStorage>(std::move(integers), std::move(quantizer)));
}

}  // namespace voxport
