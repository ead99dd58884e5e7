#include "lower/table.h"

#include <gtest/gtest.h>

namespace voxport::table_test {
namespace {

TEST(OperatorTable, FindsTheRowOfAnOverloadBeforeThatOfItsOperator) {
  EXPECT_EQ(find_operator("aten.where.self")->target, "aten.where.self");
  EXPECT_EQ(find_operator("aten.where.default")->target, "aten.where");
  EXPECT_EQ(find_operator("aten.add.Tensor")->target, "aten.add");
  EXPECT_EQ(find_operator("aten.no_such_operator"), nullptr);
}

TEST(OperatorTable, FindsAnOperatorThatWorksInPlaceByItsPlainName) {
  EXPECT_EQ(find_operator("aten.add_.Tensor")->target, "aten.add");
  EXPECT_EQ(find_operator("aten.__and__.Tensor")->target, "aten.__and__");
  EXPECT_TRUE(operator_name("aten.relu_").is_in_place);
  EXPECT_FALSE(operator_name("aten.__and__").is_in_place);
}

TEST(OperatorTable, HasTheFunctionForComplexTensorsInTheSameRow) {
  EXPECT_FALSE(find_operator("aten.imag")->lower);
  EXPECT_TRUE(find_operator("aten.imag")->lower_complex);
  EXPECT_TRUE(find_operator("aten.reshape")->lower_complex);
  EXPECT_TRUE(find_operator("aten.sum")->has(Trait::kByParts));
}

// What is given as it is, or part by part, needs the function of real tensors.
TEST(OperatorTable, HasAFunctionInEveryRow) {
  for (const Operator& row : operator_table())
    EXPECT_TRUE(row.lower || (row.lower_complex && row.traits == Trait::kNone)) << row.target;
}

// l += m appends to l; l + m makes a new list.
TEST(OperatorTable, KnowsWhatChangesTheFirstArgument) {
  EXPECT_TRUE(appends_to_first("aten.append.t"));
  EXPECT_TRUE(appends_to_first("aten.add_.t"));
  EXPECT_FALSE(appends_to_first("aten.add.t"));
  EXPECT_FALSE(appends_to_first("aten.pop.t"));
  EXPECT_TRUE(changes_first("aten.pop.t"));
  EXPECT_FALSE(changes_first("aten.add.t"));
  EXPECT_FALSE(changes_first("aten.no_such_operator"));
}

}  // namespace
}  // namespace voxport::table_test
