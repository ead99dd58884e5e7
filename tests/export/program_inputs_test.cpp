#include <gtest/gtest.h>

#include "export/program.h"
#include "program/text.h"
#include "tests/data.h"

namespace voxport {
namespace {

using Texts = std::vector<std::string>;

// As if the shapes were those of an example.
Program traced(std::string_view text) {
  Program program = parse_program(text);
  for (ProgramInput& input : program.inputs) input.is_example = true;
  return program;
}

TEST(PlanInputs, GivesOneSizeOneName) {
  const Program program = parse_program(
      "tokens: i64[s0, s1]\n"
      "lengths: i64[s0]\n"
      "y = aten.neg.default(tokens)\n"
      "return y, lengths\n");
  ExportOptions options;
  options.dynamic = {"tokens:0=batch_size", "lengths:0=rows"};
  EXPECT_EQ(message_of([&] { plan_inputs(program, options); }),
            "'batch_size' and 'rows' are the same size in the program (s0), and can only have one "
            "name");
  options.dynamic = {"tokens:0=batch_size", "lengths:0=batch_size"};
  EXPECT_EQ(plan_inputs(program, options).lower.inputs[1].shape, Shape{Dim::symbol("batch_size")});
}

// x is looked at anew once z's axis is known to be held, and what is told of it is told once.
TEST(LowerAsFreeAsItIs, TellsOnceWhatIsHeld) {
  const Program program = traced(
      "x: f32[2, 2, 4]\n"
      "z: f32[2, 3]\n"
      "w: f32[5, 8]\n"
      "v: f32[5, 3]\n"
      "flat = aten.flatten.using_ints(x, 1, 2)\n"
      "a = aten.linear.default(flat, w)\n"
      "b = aten.linear.default(z, v)\n"
      "return a, b\n");
  InputPlan plan = plan_inputs(program, {});
  // Weights keep their shapes.
  plan.lower.inputs[2].shape = Shape{5, 8};
  plan.lower.inputs[3].shape = Shape{5, 3};
  ExportReport report;
  lower_as_free_as_it_is(program, plan, report);
  ASSERT_EQ(report.warnings.size(), 1U) << testing::PrintToString(report.warnings);
  EXPECT_TRUE(
      report.warnings[0].starts_with("the size x_dim_1*x_dim_2 is fixed at 8 by aten.linear"))
      << report.warnings[0];
  EXPECT_EQ(plan.lower.inputs[1].shape, (Shape{Dim::symbol("z_dim_0"), 3}));
}

// A size that only the run can tell was nobody's to leave free. It does not keep those of examples
// from becoming one, either.
TEST(LowerAsFreeAsItIs, PassesOverSizesThatOnlyTheRunTells) {
  const Program program = traced(
      "x: f32[3, 4]\n"
      "z: f32[3, 4]\n"
      "n: i64[]\n"
      "w: f32[5, 8]\n"
      "k = aten.item.default(n)\n"
      "empty = aten.zeros.default([7, k])\n"
      "y = aten.linear.default(empty, w)\n"
      "sum = aten.add.Tensor(x, z)\n"
      "return sum, y\n");
  InputPlan plan = plan_inputs(program, {});
  plan.lower.inputs[3].shape = Shape{5, 8};  // a weight keeps its shape
  ExportReport report;
  lower_as_free_as_it_is(program, plan, report);
  EXPECT_EQ(report.warnings, Texts());
  EXPECT_EQ(plan.lower.inputs[1].shape, plan.lower.inputs[0].shape);
}

}  // namespace
}  // namespace voxport
