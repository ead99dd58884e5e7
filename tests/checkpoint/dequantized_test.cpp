#include "checkpoint/dequantized.h"

#include <gtest/gtest.h>

#include "tests/data.h"

namespace voxport::dequantized_test {
namespace {

template <class T>
Tensor tensor_of(DType dtype, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor(dtype, std::move(shape), {}, 0, storage_of(Blob::own(std::move(bytes))));
}

const Tensor kIntegers = tensor_of<std::int8_t>(DType::kInt8, {2, 3}, {-128, 0, 1, 2, 3, 127});

TEST(Dequantized, ScalesAllElementsAlike) {
  EXPECT_EQ(to_float32(dequantized(kIntegers, quantizer_of(0.5, 1))),
            (std::vector<float>{-64.5, -0.5, 0, 0.5, 1, 63}));
}

TEST(Dequantized, ScalesEachIndexOfAnAxis) {
  const Tensor zeros = tensor_of<std::int64_t>(DType::kInt64, {3}, {0, 0, 1});
  const Tensor columns = tensor_of<double>(DType::kFloat64, {3}, {1, 2, 3});
  EXPECT_EQ(to_float32(dequantized(kIntegers, {columns, zeros, 1})),
            (std::vector<float>{-128, 0, 0, 2, 6, 378}));
  const Tensor rows = tensor_of<double>(DType::kFloat64, {2}, {1, 2});
  const Tensor two = tensor_of<std::int64_t>(DType::kInt64, {2}, {0, 0});
  EXPECT_EQ(to_float32(dequantized(kIntegers, {rows, two, 0})),
            (std::vector<float>{-128, 0, 1, 4, 6, 254}));
}

TEST(Dequantized, RefusesAQuantizerThatDoesNotFit) {
  const Tensor zeros = tensor_of<std::int64_t>(DType::kInt64, {3}, {0, 0, 1});
  const Tensor scales = tensor_of<double>(DType::kFloat64, {3}, {1, 2, 3});
  const auto complaint = [&](const Quantizer& quantizer) {
    return message_of([&] { dequantized(kIntegers, quantizer); });
  };
  const std::string expected =
      "a quantized tensor of shape [2, 3] has scales and zero points that do not fit it";
  EXPECT_EQ(complaint({scales, zeros, 0}), expected);
  EXPECT_EQ(complaint({scales, zeros, 7}), expected);
  EXPECT_EQ(complaint({zeros, scales, 1}), expected);
}

}  // namespace
}  // namespace voxport::dequantized_test
