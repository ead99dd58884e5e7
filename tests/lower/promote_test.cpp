#include "lower/promote.h"

#include <gtest/gtest.h>

namespace voxport::promote_test {
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

Item complex_input(Graph& graph, const std::string& name, DType part, Shape shape) {
  shape.push_back(2);
  Item item = graph.add_input(name, {part, std::move(shape), {}});
  item.cell()->is_complex = true;
  return item;
}

// Of every pair of tensors with and without axes: what torch.result_type gives.
TEST(ResultType, KeepsThePrecisionOfATensorWithAxes) {
  Graph graph;
  const Item c64 = complex_input(graph, "c64", DType::kFloat32, {3});
  const Item c128 = complex_input(graph, "c128", DType::kFloat64, {3});
  const Item c64_scalar = complex_input(graph, "c64_scalar", DType::kFloat32, {});
  const Item c128_scalar = complex_input(graph, "c128_scalar", DType::kFloat64, {});
  const auto tensor = [&](const char* name, DType dtype) {
    return Item(graph.add_input(name, {dtype, Shape{3}, {}}));
  };
  const auto scalar = [&](const char* name, DType dtype) {
    return Item(graph.add_input(name, {dtype, Shape{}, {}}));
  };
  const Item f16 = tensor("f16", DType::kFloat16);
  const Item bf16 = tensor("bf16", DType::kBFloat16);
  const Item f32 = tensor("f32", DType::kFloat32);
  const Item f64 = tensor("f64", DType::kFloat64);
  const Item i64 = tensor("i64", DType::kInt64);
  const Item f32_scalar = scalar("f32_scalar", DType::kFloat32);
  const Item f64_scalar = scalar("f64_scalar", DType::kFloat64);
  const Item i64_scalar = scalar("i64_scalar", DType::kInt64);
  const auto type = [](const Item& a, const Item& b) {
    return result_type(std::vector<Item>{a, b});
  };
  EXPECT_EQ(type(f32, c128_scalar), DType::kComplex64);
  EXPECT_EQ(type(c128_scalar, f32), DType::kComplex64);
  EXPECT_EQ(type(f64, c64_scalar), DType::kComplex128);
  EXPECT_EQ(type(f16, c128_scalar), DType::kComplex32);
  EXPECT_EQ(type(bf16, c128_scalar), DType::kComplex64);
  EXPECT_EQ(type(i64, c64_scalar), DType::kComplex64);
  EXPECT_EQ(type(i64, c128_scalar), DType::kComplex128);
  EXPECT_EQ(type(c64, c128_scalar), DType::kComplex64);
  EXPECT_EQ(type(c64, f64_scalar), DType::kComplex64);
  EXPECT_EQ(type(c64, f64), DType::kComplex128);
  EXPECT_EQ(type(c128, f32), DType::kComplex128);
  EXPECT_EQ(type(c64, i64), DType::kComplex64);
  EXPECT_EQ(type(c64, c128), DType::kComplex128);
  EXPECT_EQ(type(c64_scalar, f64_scalar), DType::kComplex128);
  EXPECT_EQ(type(c128_scalar, f32_scalar), DType::kComplex128);
  EXPECT_EQ(type(c64_scalar, i64_scalar), DType::kComplex64);
  EXPECT_EQ(type(c128_scalar, Number::of_float(2)), DType::kComplex128);
  EXPECT_EQ(type(c64, Number::of_float(2)), DType::kComplex64);
}

}  // namespace
}  // namespace voxport::promote_test
