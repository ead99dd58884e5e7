#include "lower/promote.h"

#include <gtest/gtest.h>

namespace voxport {
namespace {

TEST(PromoteTypes, FollowsPyTorchsTable) {
  EXPECT_EQ(promote_types(DType::kBool, DType::kUInt8), DType::kUInt8);
  EXPECT_EQ(promote_types(DType::kUInt8, DType::kInt8), DType::kInt16);
  EXPECT_EQ(promote_types(DType::kUInt8, DType::kInt32), DType::kInt32);
  EXPECT_EQ(promote_types(DType::kInt64, DType::kFloat16), DType::kFloat16);
  EXPECT_EQ(promote_types(DType::kFloat16, DType::kBFloat16), DType::kFloat32);
  EXPECT_EQ(promote_types(DType::kFloat32, DType::kFloat64), DType::kFloat64);
}

// tensor(axes), tensor without axes, number: each counts only by its category against the former.
TEST(ResultType, LetsATensorWithAxesWin) {
  Graph graph;
  const Value f32 = graph.add_input("f32", {DType::kFloat32, Shape{3}, {}});
  const Value i64 = graph.add_input("i64", {DType::kInt64, Shape{3}, {}});
  const Value f64_scalar = graph.add_input("f64", {DType::kFloat64, Shape{}, {}});
  EXPECT_EQ(result_type(std::vector<Item>{f32, f64_scalar}), DType::kFloat32);
  EXPECT_EQ(result_type(std::vector<Item>{i64, f64_scalar}), DType::kFloat64);
  EXPECT_EQ(result_type(std::vector<Item>{i64, Number::of_float(0.5)}), DType::kFloat32);
  EXPECT_EQ(result_type(std::vector<Item>{f64_scalar, Number::of_float(0.5)}), DType::kFloat64);
  EXPECT_EQ(result_type(std::vector<Item>{i64, Number::of_bool(true)}), DType::kInt64);
}

}  // namespace
}  // namespace voxport
