#include "graph/builder.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/data.h"

namespace voxport::builder_test {
namespace {

std::string constant(double value, DType dtype) {
  Graph graph;
  return message_of([&] { Builder(graph).scalar(value, dtype); });
}

TEST(Builder, MakesConstantsOfTheGreatestAndTheLeastNumbers) {
  EXPECT_EQ(constant(-0x1p63, DType::kInt64), "no error");
  EXPECT_EQ(constant(0x1.fffffffffffffp62, DType::kInt64), "no error");
  EXPECT_EQ(constant(2147483647.9, DType::kInt32), "no error");
  EXPECT_EQ(constant(-128.9, DType::kInt8), "no error");
  EXPECT_EQ(constant(255, DType::kUInt8), "no error");
  EXPECT_EQ(constant(-std::numeric_limits<double>::infinity(), DType::kFloat32), "no error");
}

TEST(Builder, RefusesConstantsThatATypeDoesNotHave) {
  EXPECT_EQ(constant(-std::numeric_limits<double>::infinity(), DType::kInt64),
            "the constant -inf does not fit int64");
  EXPECT_EQ(constant(std::nan(""), DType::kInt16), "the constant nan does not fit int16");
  EXPECT_NE(constant(0x1p63, DType::kInt64), "no error");
  EXPECT_EQ(constant(256, DType::kUInt8), "the constant 256 does not fit uint8");
  EXPECT_EQ(constant(-1, DType::kUInt8), "the constant -1 does not fit uint8");
}

}  // namespace
}  // namespace voxport::builder_test
