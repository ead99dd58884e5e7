// What an export says of the axes of a program: which stayed dynamic, which the program fixed, and
// which an output has lost.
#include <gtest/gtest.h>

#include "base/text.h"
#include "export/final_check.h"
#include "export/program.h"
#include "program/text.h"
#include "tests/data.h"

namespace voxport {
namespace {

ExportReport report_of(const std::string& text, bool is_traced = false,
                       const ExportOptions& options = {}) {
  Program program = parse_program(text);
  for (ProgramInput& input : program.inputs) input.is_example = is_traced;
  InputPlan plan = plan_inputs(program, options);
  ExportReport report;
  lower_as_free_as_it_is(program, plan, report);
  return report;
}

std::string axes_of(const ExportReport& report) {
  std::string text;
  for (const ExportedAxis& axis : report.axes)
    text += cat(text.empty() ? "" : ", ", axis.name,
                axis.fixed_at ? cat(" = ", *axis.fixed_at) : std::string());
  return text;
}

using Warnings = std::vector<std::string>;

TEST(ProgramAxes, StayDynamicInAnOuterProduct) {
  for (const char* op : {"aten.outer.default", "aten.ger.default", "aten.kron.default"}) {
    const ExportReport report =
        report_of(cat("x: f32[time]\nw: f32[4]\ny = ", op, "(x, w)\nreturn y"));
    EXPECT_EQ(report.warnings, Warnings()) << op;
    EXPECT_EQ(axes_of(report), "time") << op;
  }
}

TEST(ProgramAxes, AreReportedWhereTheProgramFixesThem) {
  const ExportReport report =
      report_of("x: f32[batch, time]\nw: f32[4, 5]\ny = aten.matmul.default(x, w)\nreturn y");
  EXPECT_EQ(axes_of(report), "time = 4, batch");
  EXPECT_EQ(report.axes[0].fixed_by, "aten.matmul.default at line 3");
  EXPECT_EQ(report.warnings,
            Warnings{"the size time is fixed at 4 by aten.matmul.default at line 3"});
}

// Nobody asks for the promotion of these: what meets is seen where the node is made.
TEST(ProgramAxes, AreReportedWhateverOperatorFixesThem) {
  for (const char* line : {"y = aten.addr.default(w, x, v)", "y = aten.bmm.default(x3, w3)",
                           "y = aten.complex.default(x, v)", "y = aten.cat.default([x2, w], 1)",
                           "y = aten.addmm.default(v, w, x2)"}) {
    const ExportReport report =
        report_of(cat("x: f32[t]\nx2: f32[t, 5]\nx3: f32[2, 5, t]\nw: f32[4, 5]\nw3: f32[2, 4, 5]\n"
                      "v: f32[5]\n",
                      line, "\nreturn y"));
    EXPECT_TRUE(axes_of(report) == "t = 4" || axes_of(report) == "t = 5")
        << line << ": " << axes_of(report);
  }
}

TEST(ProgramAxes, AreSolvedWhereAnExpressionIsFixed) {
  const ExportReport report = report_of(
      "x: f32[time, 3]\nw: f32[8, 3]\na = aten.cat.default([x, x], 0)\n"
      "y = aten.add.Tensor(a, w)\nreturn y");
  EXPECT_EQ(axes_of(report), "time = 4");
}

// x[:, :4] is of 4 columns wherever there are that many.
TEST(ProgramAxes, AreNotFixedByWhatIsCutToASize) {
  const ExportReport report = report_of(
      "x: f32[time, columns]\nw: f32[4]\na = aten.slice.Tensor(x, 1, 0, 4)\n"
      "y = aten.add.Tensor(a, w)\nreturn y");
  EXPECT_EQ(axes_of(report), "time, columns");
  EXPECT_EQ(report.warnings, Warnings());
}

TEST(ProgramAxes, AreWarnedOfWhereTracingBakedTheirSizeIntoAnOutput) {
  const ExportReport report = report_of(
      "x: f32[9, 5]\na = aten.arange.default(9)\nb = aten.relu.default(x)\nreturn a, b", true);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0],
            "axis 0 of the output 'output_0' is fixed at 9 by aten.arange.default at line 2: the "
            "size that "
            "axis 0 of the input 'x' had when the program was saved, and which is dynamic here");
  EXPECT_EQ(axes_of(report), "x_dim_0, x_dim_1");
}

TEST(ProgramAxes, AreWarnedOfThroughOtherOperators) {
  for (const char* lines :
       {"a = aten.zeros.default([9, 3])\ny = aten.relu.default(a)",
        "a = aten.arange.default(9)\nb = aten.unsqueeze.default(a, 1)\ny = aten.add.Tensor(b, 2)",
        "a = aten.ones.default([1, 3])\ny = aten.expand.default(a, [9, 3])",
        "a = aten.arange.default(27)\nb = aten.view.default(a, [9, 3])\n"
        "y = aten.permute.default(b, [1, 0])"}) {
    const ExportReport report =
        report_of(cat("x: f32[9, 5]\n", lines, "\nz = aten.relu.default(x)\nreturn y, z"), true);
    EXPECT_EQ(report.warnings.size(), 1U) << lines;
  }
}

TEST(ProgramAxes, AreNotWarnedOfWhereAWeightHasThatSize) {
  const ExportReport report = report_of(
      "x: f32[9, 5]\nw: f32[5, 9]\ny = aten.matmul.default(x, w)\n"
      "z = aten.slice.Tensor(x, 0, 0, 9)\nreturn y, z",
      false, [] {
        ExportOptions options;
        options.dynamic = {"x:0=time"};
        return options;
      }());
  EXPECT_EQ(report.warnings, Warnings());
  EXPECT_EQ(axes_of(report), "time");
}

TEST(ProgramAxes, AreInTheJson) {
  ExportReport report;
  report.outputs = {"y: float32[4]"};
  report.axes = {{"batch", {}, ""}, {"time", 4, "aten.view in net"}};
  const std::string json = to_json(report);
  EXPECT_NE(json.find(R"("name":"batch","dynamic":true)"), std::string::npos) << json;
  EXPECT_NE(
      json.find(R"("name":"time","dynamic":false,"fixed_at":4,"fixed_by":"aten.view in net")"),
      std::string::npos)
      << json;
}

// What the summary says of a program's graph that ran at all sizes.
std::string checked(std::vector<ExportedAxis> axes) {
  ExportCheck check(true, ExportCheck::Promise::kAsTold);
  check.start({{"out/model.onnx", 1, data_folder() / "check" / "conv-free.onnx"}});
  ExportReport report;
  report.axes = std::move(axes);
  check.finish(report);
  const std::string text = report.checks.empty() ? "" : report.checks[0];
  return text.substr(text.find(" runs") + 5);
}

TEST(ProgramAxes, AreAllFreeInTheSummaryWhereAllAre) {
  EXPECT_EQ(checked({{"batch", {}, ""}, {"time", {}, ""}}), ", all axes free)");
  EXPECT_EQ(checked({{"time", 4, "aten.view"}, {"batch", {}, ""}}),
            ", time fixed at 4, batch free)");
  EXPECT_EQ(checked({}), ", no axis is dynamic)");
}

}  // namespace
}  // namespace voxport
