#include "lower/compute_type.h"

#include <gtest/gtest.h>

#include "graph/ops.h"
#include "tests/data.h"

namespace voxport::compute_type_test {
namespace {

TEST(ComputeType, IsTheTypeItselfWhereThereIsAKernel) {
  EXPECT_EQ(compute_type("Add", DType::kInt64), DType::kInt64);
  EXPECT_EQ(compute_type("Erf", DType::kFloat16), DType::kFloat16);
  EXPECT_EQ(compute_type("NotInTheTable", DType::kInt8), DType::kInt8);
}

TEST(ComputeType, IsTheNearestThatHoldsAllValues) {
  EXPECT_EQ(compute_type("Add", DType::kInt8), DType::kInt32);
  EXPECT_EQ(compute_type("Add", DType::kUInt32), DType::kInt64);
  EXPECT_EQ(compute_type("Where", DType::kBool), DType::kUInt8);
  EXPECT_EQ(compute_type("Less", DType::kBool), DType::kInt32);
  EXPECT_EQ(compute_type("Erf", DType::kFloat64), DType::kFloat32);
}

TEST(ApplyOp, GivesTheOperandsTypeOrBool) {
  Graph graph;
  const Value x = graph.add_input("x", {DType::kInt8, Shape{3}, {}});
  EXPECT_EQ(apply_op("Add", {x, x}).dtype(), DType::kInt8);
  EXPECT_EQ(apply_op("Less", {x, x}).dtype(), DType::kBool);
}

TEST(Converted, RefusesWhatONNXDoesNotHave) {
  Graph graph;
  const Value x = graph.add_input("x", {DType::kFloat32, Shape{3}, {}});
  EXPECT_EQ(converted(x, DType::kFloat32), x);
  EXPECT_EQ(message_of([&] { converted(x, DType::kQInt8); }),
            "it requires qint8, which ONNX does not have");
}

}  // namespace
}  // namespace voxport::compute_type_test
