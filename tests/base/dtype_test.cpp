#include "base/dtype.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

namespace voxport::dtype_test {
namespace {

double value_of(DType dtype, std::uint32_t bits) {
  std::byte bytes[8] = {};
  std::memcpy(bytes, &bits, sizeof bits);
  return element_value(dtype, bytes);
}

TEST(DType, ReadsHalves) {
  EXPECT_EQ(value_of(DType::kFloat16, 0x3c00), 1.0);
  EXPECT_EQ(value_of(DType::kFloat16, 0xc500), -5.0);
  EXPECT_EQ(value_of(DType::kFloat16, 0x0001), 0x1p-24) << "the smallest subnormal";
  EXPECT_EQ(value_of(DType::kFloat16, 0x7bff), 65504.0);
  EXPECT_TRUE(std::isinf(value_of(DType::kFloat16, 0x7c00)));
  EXPECT_TRUE(std::isnan(value_of(DType::kFloat16, 0x7e00)));
  EXPECT_EQ(value_of(DType::kBFloat16, 0x3f80), 1.0);
}

// The numbers that torch prints for torch.tensor([bits], dtype=torch.uint8).view(dtype).
TEST(DType, ReadsEightBitFloats) {
  EXPECT_EQ(value_of(DType::kFloat8E4M3FN, 0x38), 1.0);
  EXPECT_EQ(value_of(DType::kFloat8E4M3FN, 0x7e), 448.0);
  EXPECT_TRUE(std::isnan(value_of(DType::kFloat8E4M3FN, 0x7f)));
  EXPECT_EQ(value_of(DType::kFloat8E4M3FN, 0x01), 0x1p-9);
  EXPECT_EQ(value_of(DType::kFloat8E5M2, 0x3c), 1.0);
  EXPECT_EQ(value_of(DType::kFloat8E5M2, 0x7b), 57344.0);
  EXPECT_TRUE(std::isinf(value_of(DType::kFloat8E5M2, 0xfc)));
  EXPECT_EQ(value_of(DType::kFloat8E4M3FNUZ, 0x40), 1.0);
  EXPECT_EQ(value_of(DType::kFloat8E4M3FNUZ, 0x7f), 240.0);
  EXPECT_TRUE(std::isnan(value_of(DType::kFloat8E4M3FNUZ, 0x80)));
  EXPECT_EQ(value_of(DType::kFloat8E5M2FNUZ, 0x40), 1.0);
  EXPECT_EQ(value_of(DType::kFloat8E8M0FNU, 0x7f), 1.0);
  EXPECT_TRUE(std::isnan(value_of(DType::kFloat8E8M0FNU, 0xff)));
}

TEST(DType, IsFoundByItsName) {
  EXPECT_EQ(dtype_named("bfloat16"), DType::kBFloat16);
  EXPECT_EQ(dtype_named("float"), std::nullopt);
  EXPECT_EQ(name_of(DType::kFloat8E4M3FN), "float8_e4m3fn");
}

}  // namespace
}  // namespace voxport::dtype_test
