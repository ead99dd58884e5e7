#include "program/program.h"

#include <gtest/gtest.h>

namespace voxport::program_test {
namespace {

TEST(Program, CountsElementTypesAsTorchScriptDoes) {
  EXPECT_EQ(scalar_type_code(DType::kUInt8), 0);
  EXPECT_EQ(scalar_type_code(DType::kInt64), 4);
  EXPECT_EQ(scalar_type_code(DType::kFloat32), 6);
  EXPECT_EQ(scalar_type_code(DType::kBool), 11);
  EXPECT_EQ(scalar_type_code(DType::kBFloat16), 15);
  EXPECT_EQ(dtype_of_scalar_type(7), DType::kFloat64);
  EXPECT_EQ(dtype_of_scalar_type(-1), std::nullopt);
  EXPECT_EQ(dtype_of_scalar_type(99), std::nullopt);
}

TEST(Place, IsShownWithoutMovingTheCursor) {
  EXPECT_EQ(where({"encoder", "net.py:3"}), " in encoder at net.py:3");
  EXPECT_EQ(where({"a\x1b[31m", ""}), R"( in a\x1b[31m)");
  EXPECT_EQ(where({}), "");
}

TEST(Program, KnowsAPlaceThatItHasSeen) {
  Program program;
  const auto first = program.add_place({"encoder", "net.py:3"});
  EXPECT_EQ(program.add_place({"encoder", "net.py:4"}), first + 1);
  EXPECT_EQ(program.add_place({"encoder", "net.py:3"}), first);
}

}  // namespace
}  // namespace voxport::program_test
