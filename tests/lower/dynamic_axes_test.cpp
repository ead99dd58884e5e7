// Which axes of a program stay dynamic, which the program fixes, and which an output has lost.
#include "lower/dynamic_axes.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "program/text.h"
#include "tests/data.h"

namespace voxport::dynamic_axes_test {
namespace {

// As if the shapes were those of an example.
Program traced(std::string_view text) {
  Program program = parse_program(text);
  for (ProgramInput& input : program.inputs) input.is_example = true;
  return program;
}

AxesReport report_of(const std::string& text, bool is_traced = false,
                     const InputOptions& options = {}) {
  const Program program = is_traced ? traced(text) : parse_program(text);
  InputPlan plan = plan_inputs(program, options);
  AxesReport report;
  lower_with_dynamic_axes(program, plan, report);
  return report;
}

std::string axes_of(const AxesReport& report) {
  std::string text;
  for (const NamedAxis& axis : report.axes)
    text += cat(text.empty() ? "" : ", ", axis.name,
                axis.fixed_at ? cat(" = ", *axis.fixed_at) : std::string());
  return text;
}

using Warnings = std::vector<std::string>;

TEST(DynamicAxes, StayDynamicInAnOuterProduct) {
  for (const char* op : {"aten.outer.default", "aten.ger.default", "aten.kron.default"}) {
    const AxesReport report =
        report_of(cat("x: f32[time]\nw: f32[4]\ny = ", op, "(x, w)\nreturn y"));
    EXPECT_EQ(report.warnings, Warnings()) << op;
    EXPECT_EQ(axes_of(report), "time") << op;
  }
}

TEST(DynamicAxes, AreReportedWhereTheProgramFixesThem) {
  const AxesReport report =
      report_of("x: f32[batch, time]\nw: f32[4, 5]\ny = aten.matmul.default(x, w)\nreturn y");
  EXPECT_EQ(axes_of(report), "time = 4, batch");
  EXPECT_EQ(report.axes[0].fixed_by, "aten.matmul.default at line 3");
  EXPECT_EQ(report.warnings,
            Warnings{"the size time is fixed at 4 by aten.matmul.default at line 3"});
}

// As many names as a list is unpacked to are its size.
TEST(DynamicAxes, AreFixedByNamesThatAListIsUnpackedTo) {
  const AxesReport report =
      report_of("x: f32[batch, time]\na, b = aten.unbind.int(x, 1)\nreturn a, b");
  EXPECT_EQ(axes_of(report), "time = 2, batch");
}

// What run_decompositions() makes of a recurrent layer.
TEST(DynamicAxes, AreFixedByTheStepsOfARecurrentLayer) {
  Program program = parse_program("x: f32[batch, time]\na, b = aten.unbind.int(x, 1)\nreturn a, b");
  for (Place& place : program.places) place.is_in_rnn = true;
  InputPlan plan = plan_inputs(program, {});
  AxesReport report;
  lower_with_dynamic_axes(program, plan, report);
  EXPECT_EQ(report.axes[0].fixed_by,
            "aten.unbind.int at line 2: the steps of this recurrent layer were written out; save "
            "the program as torch.export.export() returns it, without run_decompositions()");
}

TEST(DynamicAxes, AreNotCutToOneStepOfARecurrentLayer) {
  Program program = parse_program("x: f32[batch, time]\ny = aten.select.int(x, 1, 0)\nreturn y");
  for (Place& place : program.places) place.is_in_rnn = true;
  InputPlan plan = plan_inputs(program, {});
  AxesReport report;
  const std::string message = message_of([&] { lower_with_dynamic_axes(program, plan, report); });
  EXPECT_NE(message.find("it takes one step of the dynamic size time: the steps of this recurrent"),
            std::string::npos)
      << message;
}

// Nobody asks for the promotion of these: what meets is seen where the node is made.
TEST(DynamicAxes, AreReportedWhateverOperatorFixesThem) {
  for (const char* line : {"y = aten.addr.default(w, x, v)", "y = aten.bmm.default(x3, w3)",
                           "y = aten.complex.default(x, v)", "y = aten.cat.default([x2, w], 1)",
                           "y = aten.addmm.default(v, w, x2)"}) {
    const AxesReport report =
        report_of(cat("x: f32[t]\nx2: f32[t, 5]\nx3: f32[2, 5, t]\nw: f32[4, 5]\nw3: f32[2, 4, 5]\n"
                      "v: f32[5]\n",
                      line, "\nreturn y"));
    EXPECT_TRUE(axes_of(report) == "t = 4" || axes_of(report) == "t = 5")
        << line << ": " << axes_of(report);
  }
}

// Of 4 and 5 samples alone the bins are as many as the first three samples.
TEST(DynamicAxes, OfAnExampleAreFixedWhereSizesLimitThem) {
  const std::string lines =
      "s = aten.fft_rfft.default(x)\nh = aten.slice.Tensor(x, 1, 0, 3)\n"
      "p = aten.mul.Tensor(s, h)\ny = aten.view_as_real.default(p)\nreturn y";
  EXPECT_EQ(axes_of(report_of("x: f32[2, 5]\n" + lines, true)), "x_dim_0");
  EXPECT_EQ(axes_of(report_of("x: f32[b, t]\n" + lines)), "b, t");
}

TEST(DynamicAxes, OfAnExampleStayDynamicUpToTheSizeOfATable) {
  for (const int rows : {9, 64})
    EXPECT_EQ(axes_of(report_of(cat("x: f32[2, 9]\nn = aten.size.int(x, 1)\nw = aten.arange(", rows,
                                    ")\ns = aten.slice.Tensor(w, 0, 0, n)\n"
                                    "y = aten.add.Tensor(x, s)\nreturn y"),
                                true)),
              "x_dim_0, x_dim_1")
        << rows;
}

// A relative shift, as it is traced: rows of 11 are read at a distance of 10.
constexpr std::string_view kRelativeShift =
    "b = aten.size.int(x, 0)\nh = aten.size.int(x, 1)\nt = aten.size.int(x, 2)\n"
    "m = aten.sub.int(t, 1)\n"
    "y = aten.as_strided(x, [b, h, t, t], [198, 66, 10, 1], m)\nreturn y";

TEST(DynamicAxes, AreFixedByTheStridesOfATrace) {
  const AxesReport report =
      report_of(cat("x: f32[batch, heads, time, 2*time - 1]\n", kRelativeShift));
  EXPECT_EQ(axes_of(report), "time = 6, heads = 3, batch");
  EXPECT_EQ(report.axes[0].fixed_by, "aten.as_strided at line 6");
}

TEST(DynamicAxes, AreFixedAtTheExampleByTheStridesOfATrace) {
  const std::string text = cat("x: f32[2, 3, 6, 11]\n", kRelativeShift);
  EXPECT_EQ(axes_of(report_of(text, true)), "x_dim_0");
  const AxesReport named = report_of(text, true, {.dynamic = {"x:0=batch,2=time,3=places"}});
  EXPECT_EQ(axes_of(named), "time = 6, places = 11, batch");
}

TEST(DynamicAxes, AreRefusedWhereStridesAreThoseOfAnUnknownExample) {
  const auto message = [](std::string_view text) {
    return message_of([&] { report_of(std::string(text)); });
  };
  EXPECT_EQ(message(cat("x: f32[batch, heads, time, places]\n", kRelativeShift)),
            "the strides of a tensor are numbers, as a trace records them, and are right at the "
            "sizes of the example only, which the file does not record; give these sizes as "
            "numbers:\n"
            "  heads is fixed by aten.as_strided at line 6\n"
            "  time is fixed by aten.as_strided at line 6\n"
            "  places is fixed by aten.as_strided at line 6");
  EXPECT_NE(message("x: f32[t, 2*t - 1]\ny = aten.as_strided(x, [6, 6], [10, 1], 5)\nreturn y")
                .find("  t is fixed by aten.as_strided at line 2"),
            std::string::npos);
}

TEST(DynamicAxes, StayDynamicWhereStridesFollowThem) {
  EXPECT_EQ(axes_of(report_of("x: f32[t, 2*t - 1]\nt = aten.size.int(x, 0)\n"
                              "m = aten.sub.int(t, 1)\ns = aten.mul.int(m, 2)\n"
                              "y = aten.as_strided(x, [t, t], [s, 1], m)\nreturn y")),
            "t");
  EXPECT_EQ(axes_of(report_of("x: f32[t, 8]\nt = aten.size.int(x, 0)\nm = aten.sub.int(t, 2)\n"
                              "y = aten.as_strided(x, [m, 3, 8], [8, 8, 1])\nreturn y")),
            "t");
}

std::string limits_of(const AxesReport& report) {
  std::string text;
  for (const SizeLimit& limit : report.limits)
    text += cat(text.empty() ? "" : ", ", limit.name, limit.min ? cat(" >= ", *limit.min) : "",
                limit.max ? cat(" <= ", *limit.max) : "",
                limit.multiple ? cat(" % ", *limit.multiple) : "", " by ", limit.by);
  return text;
}

TEST(DynamicAxes, AreLimitedWherePartsOfThemMeetNumbers) {
  const AxesReport report = report_of(
      "x: f32[b, t]\nw: f32[4]\np = aten.slice.Tensor(x, 1, 0, 4)\n"
      "y = aten.add.Tensor(p, w)\nreturn y");
  EXPECT_EQ(axes_of(report), "b, t");
  EXPECT_EQ(report.warnings, Warnings());
  EXPECT_EQ(limits_of(report), "t >= 4 by aten.add.Tensor at line 4");
}

TEST(DynamicAxes, AreLimitedToTheRowsOfATable) {
  for (const int rows : {9, 64, 1001}) {
    const std::string by = " by aten.add.Tensor at line 5";
    const std::string text = cat("x: f32[b, t]\nw: f32[", rows,
                                 "]\nn = aten.size.int(x, 1)\n"
                                 "p = aten.slice.Tensor(w, 0, 0, n)\n"
                                 "y = aten.add.Tensor(x, p)\nreturn y");
    EXPECT_EQ(limits_of(report_of(text)), cat("t <= ", rows, by));
  }
}

TEST(DynamicAxes, AreAsLongAsAWindowIs) {
  EXPECT_EQ(limits_of(report_of("x: f32[b, t]\ny = aten.unfold.default(x, 1, 6, 2)\nreturn y")),
            "t >= 6 by aten.unfold.default at line 2");
  EXPECT_EQ(limits_of(report_of("x: f32[b, 2, h, w]\n"
                                "y = aten.im2col.default(x, [3, 4], [2, 1], [1, 0], [2, 2])\n"
                                "return y")),
            "h >= 3 by aten.im2col.default at line 2, w >= 4 by aten.im2col.default at line 2");
}

TEST(DynamicAxes, AreAsLongAsAnOperatorNeeds) {
  const auto limits = [](const std::string& line) {
    return limits_of(
        report_of(cat("x: f32[b, 3, t]\nw: f32[1, 3, 5]\nn = aten.size.int(x, 2)\n"
                      "k = aten.floordiv.int(n, 4)\nm = aten.sub.int(n, 6)\n",
                      line, "\nreturn y")));
  };
  EXPECT_EQ(limits("y = aten.reflection_pad1d.default(x, [2, 5])"),
            "t >= 6 by aten.reflection_pad1d.default at line 6");
  EXPECT_EQ(limits("y = aten.replication_pad1d.default(x, [2, 5])"), "");
  EXPECT_EQ(limits("y = aten.upsample_linear1d.default(w, [k], False)"),
            "t >= 4 by aten.upsample_linear1d.default at line 6");
  EXPECT_EQ(limits("y = aten.zeros.default([m, 2])"), "t >= 6 by aten.zeros.default at line 6");
  EXPECT_EQ(limits("z = aten.zeros.default([m, 2])\ny = aten.view.default(z, [m, -1])"),
            "t >= 7 by aten.view.default at line 7");
}

// Of 9 elements chunk(4) makes three parts.
TEST(DynamicAxes, AreAsLongAsThePartsOfThemNeed) {
  const std::string by = " by aten.chunk.default at line 2";
  const auto limits = [](const std::string& text) { return limits_of(report_of(text)); };
  EXPECT_EQ(limits("x: f32[t]\np, q = aten.chunk.default(x, 2)\nreturn p, q"), cat("t >= 2", by));
  EXPECT_EQ(limits("x: f32[t]\np, q, r, s = aten.chunk.default(x, 4)\nreturn p, q, r, s"),
            cat("t >= 10", by));
  EXPECT_EQ(limits("x: f32[2*t]\np, q = aten.chunk.default(x, 2)\nreturn p, q"), "");
}

// x and, of its t elements, as many as go through `call` without a rest.
std::string halved(int by) {
  return cat("n = aten.size.int(x, 1)\nh = aten.floordiv.int(n, ", by, ")\nm = aten.mul.int(h, ",
             by, ")\np = aten.slice.Tensor(x, 1, 0, m)\ny = aten.add.Tensor(x, p)\n");
}

// Even sizes run, odd ones do not.
TEST(DynamicAxes, AreMultiplesWhereTheyAreHalvedAndDoubled) {
  const std::string by = " by aten.add.Tensor at line 6";
  EXPECT_EQ(limits_of(report_of(cat("x: f32[b, t]\n", halved(2), "return y"))), "t % 2" + by);
  EXPECT_EQ(limits_of(report_of(cat("x: f32[b, t]\n", halved(32), "return y"))), "t % 32" + by);
  EXPECT_EQ(limits_of(report_of(cat("x: f32[b, 4*t]\n", halved(2), "return y"))), "");
}

TEST(DynamicAxes, AreMultiplesOfAllThatTheyHaveToBe) {
  EXPECT_EQ(limits_of(report_of("x: f32[b, t]\nn = aten.size.int(x, 1)\n"
                                "h = aten.floordiv.int(n, 4)\nm = aten.mul.int(h, 4)\n"
                                "k = aten.floordiv.int(n, 6)\nl = aten.mul.int(k, 6)\n"
                                "p = aten.slice.Tensor(x, 1, 0, m)\n"
                                "q = aten.slice.Tensor(x, 1, 0, l)\n"
                                "y = aten.add.Tensor(x, p)\nz = aten.add.Tensor(x, q)\n"
                                "return y, z")),
            "t % 12 by aten.add.Tensor at line 9");
}

// The second time, sizes of 3 and 4 would do, 7 and 8 and so on.
TEST(DynamicAxes, AreMultiplesOfAllHalvesTogether) {
  EXPECT_EQ(limits_of(report_of("x: f32[1, 3, t]\nw: f32[3, 3, 3]\n"
                                "a = aten.conv1d.default(x, w, None, [2], [1])\n"
                                "b = aten.avg_pool1d.default(x, [2])\nc = aten.add.Tensor(a, b)\n"
                                "d = aten.conv1d.default(c, w, None, [2], [1])\n"
                                "e = aten.avg_pool1d.default(c, [2])\ny = aten.add.Tensor(d, e)\n"
                                "return y")),
            "t % 4 by aten.add.Tensor at line 8");
}

std::string relations_of(const std::string& text) {
  std::string found;
  for (const SizeRelation& relation : report_of(text).relations)
    found += cat(found.empty() ? "" : ", ", relation.name, " = ", relation.equals.text(), " by ",
                 relation.by);
  return found;
}

TEST(DynamicAxes, AreMadeOfOthersThatTheyMeet) {
  EXPECT_EQ(relations_of("x: f32[s]\nf: f32[n]\na = aten.repeat.default(f, [4])\n"
                         "y = aten.add.Tensor(x, a)\nreturn y"),
            "s = 4*n by aten.add.Tensor at line 4");
  EXPECT_EQ(relations_of("x: f32[s]\nf: f32[n]\na = aten.repeat.default(f, [4])\n"
                         "b = aten.constant_pad_nd.default(x, [3, 5])\n"
                         "y = aten.add.Tensor(b, a)\nreturn y"),
            "s = 4*n - 8 by aten.add.Tensor at line 5");
  EXPECT_EQ(relations_of("x: f32[s]\nf: f32[n]\ny = aten.cat.default([x, f])\nreturn y"), "");
}

// Up to 4, and then from 9 on in steps that are none of a number.
TEST(DynamicAxes, HaveNoLimitsWhereOtherSizesRunBeyond) {
  EXPECT_EQ(limits_of(report_of("x: f32[b, t]\nn = aten.size.int(x, 1)\n"
                                "h = aten.floordiv.int(n, 3)\ng = aten.floordiv.int(n, 5)\n"
                                "k = aten.mul.int(h, 3)\nl = aten.mul.int(g, 5)\n"
                                "m = prim.max.int(k, l)\np = aten.slice.Tensor(x, 1, 0, m)\n"
                                "y = aten.add.Tensor(x, p)\nreturn y")),
            "");
}

TEST(DynamicAxes, AreSolvedWhereAnExpressionIsFixed) {
  const AxesReport report = report_of(
      "x: f32[time, 3]\nw: f32[8, 3]\na = aten.cat.default([x, x], 0)\n"
      "y = aten.add.Tensor(a, w)\nreturn y");
  EXPECT_EQ(axes_of(report), "time = 4");
}

// x[:, :4] is of 4 columns wherever there are that many.
TEST(DynamicAxes, AreNotFixedByWhatIsCutToASize) {
  const AxesReport report = report_of(
      "x: f32[time, columns]\nw: f32[4]\na = aten.slice.Tensor(x, 1, 0, 4)\n"
      "y = aten.add.Tensor(a, w)\nreturn y");
  EXPECT_EQ(axes_of(report), "time, columns");
  EXPECT_EQ(report.warnings, Warnings());
}

TEST(DynamicAxes, AreWarnedOfWhereTracingBakedTheirSizeIntoAnOutput) {
  const AxesReport report = report_of(
      "x: f32[9, 5]\na = aten.arange.default(9)\nb = aten.relu.default(x)\nreturn a, b", true);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0],
            "axis 0 of the output 'output_0' is fixed at 9 by aten.arange.default at line 2: the "
            "size that "
            "axis 0 of the input 'x' had when the program was saved, and which is dynamic here");
  EXPECT_EQ(axes_of(report), "x_dim_0, x_dim_1");
}

// Two sources of a batch of two: the batch is the first axis of the output, and not the second.
TEST(DynamicAxes, AreNotWarnedOfWhereTheOutputFollowsThemElsewhere) {
  const AxesReport report = report_of(
      "x: f32[2, 6]\nn = aten.size.int(x, 0)\ny = aten.view.default(x, [n, 2, -1])\nreturn y",
      true);
  EXPECT_EQ(report.warnings, Warnings());
}

// TorchScript of PyTorch 1.13 has no example: whether a number was a size then, nobody knows.
TEST(DynamicAxes, AreWarnedOfWhereATraceMayHaveBakedThem) {
  const auto warnings = [](const std::string& arguments) {
    Program program = parse_program(
        cat("x: f32[t]\nz = aten.zeros([2]", arguments, ")\ny = aten.relu(x)\nreturn y, z"));
    program.inputs[0].shape.reset();
    InputPlan plan = plan_inputs(program, {.inputs = {"x:f32[t]"}});
    AxesReport report;
    lower_with_dynamic_axes(program, plan, report);
    return report.warnings.size();
  };
  EXPECT_EQ(warnings(", dtype=float32, pin_memory=False"), 1U);
  EXPECT_EQ(warnings(""), 0U);
  EXPECT_EQ(warnings(", dtype=float32"), 0U);
}

// Up to 24 the sum is 24; beyond, it is less, and never again.
TEST(DynamicAxes, AreNotWarnedOfWhereANumberIsALimit) {
  const AxesReport report = report_of(
      "x: f32[t]\nw: f32[24]\nn = aten.size.int(x, 0)\nm = aten.sub.int(24, n)\n"
      "p = aten.slice.Tensor(x, 0, 0, 24)\nz = aten.zeros.default([m])\n"
      "a = aten.cat.default([p, z], 0)\ny = aten.add.Tensor(a, w)\nreturn y");
  EXPECT_EQ(report.warnings, Warnings());
  EXPECT_EQ(axes_of(report), "t");
}

TEST(DynamicAxes, AreNotedWhereASqueezeKeepsThem) {
  const AxesReport report = report_of(
      "x: f32[batch, time, 1]\na = aten.squeeze.default(x)\ny = aten.abs.default(a)\nreturn y");
  EXPECT_EQ(axes_of(report), "batch, time");
  EXPECT_EQ(report.notes,
            Warnings({"aten.squeeze.default at line 2 keeps the axis 'batch'; PyTorch "
                      "removes it where its size is 1",
                      "aten.squeeze.default at line 2 keeps the axis 'time'; PyTorch "
                      "removes it where its size is 1"}));
  EXPECT_EQ(report_of("x: f32[batch, 1]\ny = aten.squeeze.dim(x, 1)\nreturn y").notes, Warnings());
}

// Where sizes are known at run time only, it depends on the rest of the program whether a squeeze
// keeps an axis.
TEST(DynamicAxes, OfTheRunAreRemovedByASqueezeWhereTheProgramRequiresThat) {
  const std::string found = "x: f32[t]\na = aten.nonzero(x)\nb = aten.squeeze.dim(a, 0)\n";
  EXPECT_EQ(report_of(found + "y = aten.expand(b, [1])\nreturn y").notes,
            Warnings({"aten.squeeze.dim at line 3 removes the axis 'NonZero_0_1', whose size is "
                      "known at run time only; the run fails where it is not 1"}));
  EXPECT_EQ(report_of(found + "y = aten.neg(b)\nreturn y").notes,
            Warnings({"aten.squeeze.dim at line 3 keeps the axis 'NonZero_0_1'; PyTorch removes it "
                      "where its size is 1"}));
  // Neither works.
  const std::string taken = found + "y = aten.expand(b, [])\nreturn y";
  EXPECT_NE(message_of([&] { report_of(taken); }).find("of rank 2 to rank 0"), std::string::npos);
}

TEST(DynamicAxes, AreWarnedOfThroughOtherOperators) {
  for (const char* lines :
       {"a = aten.zeros.default([9, 3])\ny = aten.relu.default(a)",
        "a = aten.arange.default(9)\nb = aten.unsqueeze.default(a, 1)\ny = aten.add.Tensor(b, 2)",
        "a = aten.ones.default([1, 3])\ny = aten.expand.default(a, [9, 3])",
        "a = aten.arange.default(27)\nb = aten.view.default(a, [9, 3])\n"
        "y = aten.permute.default(b, [1, 0])"}) {
    const AxesReport report =
        report_of(cat("x: f32[9, 5]\n", lines, "\nz = aten.relu.default(x)\nreturn y, z"), true);
    EXPECT_EQ(report.warnings.size(), 1U) << lines;
  }
}

TEST(DynamicAxes, AreNotWarnedOfWhereAWeightHasThatSize) {
  const AxesReport report = report_of(
      "x: f32[9, 5]\nw: f32[5, 9]\ny = aten.matmul.default(x, w)\n"
      "z = aten.slice.Tensor(x, 0, 0, 9)\nreturn y, z",
      false, {.dynamic = {"x:0=time"}});
  EXPECT_EQ(report.warnings, Warnings());
  EXPECT_EQ(axes_of(report), "time");
}

// The program is lowered again once z's axis is known to be fixed; x's is reported once.
TEST(DynamicAxes, AreReportedOnceWhereTheyAreFixed) {
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
  AxesReport report;
  lower_with_dynamic_axes(program, plan, report);
  ASSERT_EQ(report.warnings.size(), 1U) << testing::PrintToString(report.warnings);
  EXPECT_TRUE(
      report.warnings[0].starts_with("the size x_dim_1*x_dim_2 is fixed at 8 by aten.linear"))
      << report.warnings[0];
  EXPECT_EQ(plan.lower.inputs[1].shape, (Shape{Dim::symbol("z_dim_0"), 3}));
}

// Whether k*time is 8 is known at run time only.
TEST(DynamicAxes, AreNotWarnedOfWhereOnlyTheRunCanTell) {
  const Program program = parse_program(
      "x: f32[time, 4]\n"
      "n: i64[]\n"
      "w: f32[5, 8]\n"
      "k = aten.item.default(n)\n"
      "t = aten.sym_size.int(x, 0)\n"
      "size = aten.mul.int(k, t)\n"
      "empty = aten.zeros.default([7, size])\n"
      "y = aten.linear.default(empty, w)\n"
      "return y\n");
  InputPlan plan = plan_inputs(program, {});
  AxesReport report;
  lower_with_dynamic_axes(program, plan, report);
  EXPECT_EQ(report.warnings, Warnings());
  EXPECT_EQ(axes_of(report), "time");
}

// A size that only the run determines is not an axis of an input. It does not keep those of
// examples from becoming one, either.
TEST(DynamicAxes, AreNotSizesThatOnlyTheRunDetermines) {
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
  AxesReport report;
  lower_with_dynamic_axes(program, plan, report);
  EXPECT_EQ(report.warnings, Warnings());
  EXPECT_EQ(plan.lower.inputs[1].shape, plan.lower.inputs[0].shape);
}

}  // namespace
}  // namespace voxport::dynamic_axes_test
