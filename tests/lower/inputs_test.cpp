#include "lower/inputs.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "program/text.h"
#include "tests/data.h"

namespace voxport::inputs_test {
namespace {

TEST(PlanInputs, GivesOneSizeOneName) {
  const Program program = parse_program(
      "tokens: i64[s0, s1]\n"
      "lengths: i64[s0]\n"
      "y = aten.neg.default(tokens)\n"
      "return y, lengths\n");
  InputOptions options;
  options.dynamic = {"tokens:0=batch_size", "lengths:0=rows"};
  EXPECT_EQ(message_of([&] { plan_inputs(program, options); }),
            "'batch_size' and 'rows' are the same size in the program (s0), and can only have one "
            "name");
  options.dynamic = {"tokens:0=batch_size", "lengths:0=batch_size"};
  EXPECT_EQ(plan_inputs(program, options).lower.inputs[1].shape, Shape{Dim::symbol("batch_size")});
}

std::string message_for(const Program& program, const InputOptions& options) {
  return message_of([&] { plan_inputs(program, options); });
}

TEST(PlanInputs, NamesThePartsOfDerivedSizes) {
  const Program program = parse_program(
      "x: f32[16*s0, s0 + 2*s1]\nz: f32[s1]\na = aten.neg(x)\nb = aten.neg(z)\nreturn a, b");
  const InputPlan plan = plan_inputs(program, {.dynamic = {"x:0=16*frames,1=frames+2*s0"}});
  const Dim frames = Dim::symbol("frames");
  const Dim rest = Dim::symbol("s0");
  EXPECT_EQ(plan.lower.inputs[0].shape, (Shape{frames * 16, frames + rest * 2}));
  EXPECT_EQ(plan.lower.inputs[1].shape, (Shape{rest}));
  EXPECT_EQ(message_of([&] { plan_inputs(program, {.dynamic = {"x:0=8*frames"}}); }),
            "axis 0 of 'x' is 16*s0 in the program, not 8*frames; an expression of the same form "
            "names its parts");
}

// A lower bound of 2 is torch.export's own, and what is beyond 2^31 has no end.
TEST(PlanInputs, KeepsTheRangesThatTheFileDeclares) {
  Program program = parse_program("x: f32[s0, s1, 2*s2, s3]\ny = aten.relu(x)\nreturn y");
  program.symbols = {{"s0", 2, 300}, {"s1", 5, std::int64_t{1} << 40}, {"s2", 0, 64}, {"s3", 2}};
  const InputPlan plan = plan_inputs(program, {.dynamic = {"x:0=batch"}});
  ASSERT_EQ(plan.ranges.size(), 3U);
  EXPECT_EQ(plan.ranges[0].name, "batch");
  EXPECT_EQ(plan.ranges[0].min, std::nullopt);
  EXPECT_EQ(plan.ranges[0].max, 300);
  EXPECT_EQ(plan.ranges[1].name, "s1");
  EXPECT_EQ(plan.ranges[1].min, 5);
  EXPECT_EQ(plan.ranges[1].max, std::nullopt);
  EXPECT_EQ(plan.ranges[2].name, "s2");
}

TEST(PlanInputs, RefusesWhatTheProgramDoesNotHave) {
  const Program program = parse_program("x: f32[s0, 2*s0]\ny = aten.neg.default(x)\nreturn y\n");
  const std::string inputs = "; its inputs are\n  x: float32[s0, 2*s0]";
  EXPECT_EQ(message_for(program, {.inputs = {"x", "z"}}),
            "there are 2 input specifications, but the program has 1 inputs" + inputs);
  EXPECT_EQ(message_for(program, {.dynamic = {"z:0=rows"}}), "there is no input 'z'" + inputs);
  EXPECT_EQ(message_for(program, {.dynamic = {"x:2=rows"}}), "there is no axis 2 in 'x'" + inputs);
  EXPECT_EQ(message_for(program, {.dynamic = {"x:1=columns"}}),
            "axis 1 of 'x' is 2*s0 in the program, not columns; an expression of the same form "
            "names its parts");
}

TEST(PlanInputs, DoesNotTakeANumberForTheNameOfADynamicAxis) {
  const Program program = parse_program("x: f32[s0, 10]\ny = aten.neg.default(x)\nreturn y\n");
  for (const std::string axis : {"x:0=5", "x:1=10", "x:0=2*3"})
    EXPECT_EQ(message_for(program, {.dynamic = {axis}}),
              cat("'", axis.substr(4), "' (in '", axis,
                  "') is a number, which would fix the axis; expected a name such as batch_size"));
}

TEST(PlanInputs, RequiresTheRankOfAnInputWhoseAxesGetNames) {
  Program program = parse_program("x: f32[s0]\ny = aten.neg.default(x)\nreturn y\n");
  program.inputs[0].shape.reset();
  EXPECT_EQ(message_for(program, {.dynamic = {"x:0=rows"}}),
            "the file does not record how many axes 'x' has; an input specification such as "
            "'x:f32[batch_size, 10]' is required");
}

TEST(ParseInput, ReadsNameTypeAndSizes) {
  const InputChoice choice = parse_input("x:f16[batch_size, max(a, 2*b), 10]");
  EXPECT_EQ(choice.name, "x");
  EXPECT_EQ(choice.dtype, DType::kFloat16);
  EXPECT_EQ(shape_text(*choice.shape), "[batch_size, max(2*b, a), 10]");
  EXPECT_FALSE(parse_input("x").shape);
}

TEST(ParseInput, KnowsTheTypesOfTheTextFormOfGraphs) {
  EXPECT_EQ(parse_input("x:bf16").dtype, DType::kBFloat16);
  EXPECT_EQ(parse_input("x:u16").dtype, DType::kUInt16);
  EXPECT_EQ(parse_input("x:uint16").dtype, DType::kUInt16);
}

TEST(ParseInput, RefusesWhatIsNotASize) {
  for (const char* size : {"2*", "-3", "a b"})
    EXPECT_EQ(message_of([&] { parse_input(cat("x:f32[", size, "]")); }),
              cat("'", size, "' (in 'x:f32[", size,
                  "]') is not a size, expected a number, a name, or an expression such as "
                  "2*frames"));
}

}  // namespace
}  // namespace voxport::inputs_test
