// What an export reports of the axes of a program.
#include <gtest/gtest.h>
#include <voxport/check.h>
#include <voxport/error.h>

#include "export/final_check.h"
#include "runtime/session.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/temporary_folder.h"

namespace voxport::programs_axes_test {
namespace {

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
  check.start({{"out/model.onnx", 1, data_folder() / "check" / "conv-free.onnx"}}, "model.onnx");
  ExportReport report;
  report.axes = std::move(axes);
  check.finish(report);
  const std::string text = report.checks.empty() ? "" : report.checks[0];
  return text.substr(text.find(" runs") + 5);
}

TEST(ProgramAxes, AreAllFreeInTheSummaryWhereAllAre) {
  NEEDS_RUNTIME();
  EXPECT_EQ(checked({{"batch", {}, ""}, {"time", {}, ""}}), ", all axes dynamic)");
  EXPECT_EQ(checked({{"time", 4, "aten.view"}, {"batch", {}, ""}}),
            ", time fixed at 4, batch dynamic)");
  EXPECT_EQ(checked({}), ", no axis is dynamic)");
}

// The bias has 5 elements, which only the run can tell.
TEST(ProgramAxes, FailTheExportWhereOnlyTheRunShowsThatTheyAreFixed) {
  NEEDS_RUNTIME();
  const TemporaryFolder folder;
  const std::filesystem::path source = data_folder() / "axes/hidden_size.ts113.pt";
  const std::filesystem::path out = folder / "model.onnx";
  ExportOptions options;
  options.inputs = {"x:f32[batch,time]"};
  try {
    export_model(source, out, options);
    FAIL() << "it was exported";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::kNotDynamic);
    EXPECT_EQ(error.option(), "allow_fixed");
    const std::string message = error.what();
    EXPECT_TRUE(
        message.starts_with("the program fixes axes that were declared dynamic:\n"
                            "  time is fixed at 5 by aten.nonzero at "))
        << message;
    EXPECT_NE(message.find(" (NonZero 'NonZero', "), std::string::npos) << message;
  }
  EXPECT_FALSE(std::filesystem::exists(out));
  options.allow_fixed = true;
  const ExportReport report = export_model(source, out, options);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_TRUE(report.warnings[0].starts_with(
      "the graph was run at a few sizes, and time is fixed at 5 by aten.nonzero at "))
      << report.warnings[0];
  ASSERT_EQ(report.axes.size(), 2U);
  EXPECT_EQ(report.axes[0].name, "time");
  EXPECT_EQ(report.axes[0].fixed_at, 5);
  EXPECT_TRUE(report.axes[0].fixed_by.starts_with("aten.nonzero at ")) << report.axes[0].fixed_by;
  EXPECT_EQ(report.axes[1].name, "batch");
  EXPECT_EQ(report.axes[1].verdict, "dynamic");
  EXPECT_EQ(report.inputs, std::vector<std::string>{"x: float32[batch, 5]"});
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_EQ(Session(out).inputs().at(0).axes.at(1).size, 5);
}

TEST(ProgramAxes, HaveTheSizesThatWereRun) {
  NEEDS_RUNTIME();
  const TemporaryFolder folder;
  ExportOptions options;
  options.inputs = {"x:f32[batch,3,time]"};
  const std::filesystem::path source = data_folder() / "axes/down_and_up.ts113.pt";
  const ExportReport report = export_model(source, folder / "model.onnx", options);
  ASSERT_EQ(report.axes.size(), 2U);
  EXPECT_EQ(report.axes[1].verdict, "dynamic");
  EXPECT_EQ(report.axes[1].sizes, (std::vector<std::int64_t>{1, 3, 4}));
  EXPECT_NE(to_json(report).find(
                R"({"name":"time","dynamic":true,"verdict":"dynamic","ran_at":[1,3,4]})"),
            std::string::npos)
      << to_json(report);
  options.check = false;
  const ExportReport unchecked = export_model(source, folder / "model.onnx", options);
  EXPECT_EQ(unchecked.axes[1].verdict, "");
  EXPECT_EQ(unchecked.axes[1].sizes, std::vector<std::int64_t>());
}

TEST(ProgramAxes, AreLimitedByPartsOfThemAndByTables) {
  NEEDS_RUNTIME();
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "model.onnx";
  ExportOptions options;
  options.inputs = {"x:f32[batch,rows,columns]"};
  const ExportReport report =
      export_model(data_folder() / "axes/limited_sizes.ts113.pt", out, options);
  EXPECT_EQ(report.warnings, std::vector<std::string>());
  ASSERT_EQ(report.notes.size(), 2U);
  EXPECT_TRUE(report.notes[0].starts_with("columns is at least 4, by aten.add at "))
      << report.notes[0];
  EXPECT_TRUE(report.notes[1].starts_with("rows is at most 64, by aten.slice at "))
      << report.notes[1];
  EXPECT_EQ(report.axes.at(1).verdict, "dynamic, at most 64 as declared");
  EXPECT_EQ(report.axes.at(2).verdict, "dynamic, at least 4");
  EXPECT_GE(report.axes.at(2).sizes.size(), 2U);
  const CheckReport check = check_model(out);
  EXPECT_TRUE(check.is_good()) << to_json(check);
}

// cat([x, zeros(b, 7 - t)])[:, :t] of a trace at t = 7: not a limit of the program's own.
TEST(ProgramAxes, AreNotLimitedByTheExampleOfATrace) {
  NEEDS_RUNTIME();
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "model.onnx";
  ExportOptions options;
  options.inputs = {"x:f32[b,t]"};
  export_model(data_folder() / "axes/traced_zeros.ts113.pt", out, options);
  const CheckReport check = check_model(out);
  EXPECT_FALSE(check.is_good()) << to_json(check);
}

TEST(CheckpointAxes, AreListedForEachGraph) {
  const TemporaryFolder folder;
  ExportOptions options;
  const auto axes_of = [&] {
    std::vector<std::string> axes;
    const std::filesystem::path source = data_folder() / "voices/hifigan-odd.pth";
    options.configs = {data_folder() / "voices/hifigan-odd.config.json"};
    for (const ExportedAxis& axis : export_model(source, folder / "out", options).axes)
      axes.push_back(axis.name + " of " + axis.file + (axis.sizes.size() > 1 ? " ran" : ""));
    return axes;
  };
  options.check = false;
  const std::vector<std::string> unchecked = axes_of();
  EXPECT_EQ(unchecked, (std::vector<std::string>{
                           "batch_size of vocoder.onnx", "frames of vocoder.onnx",
                           "batch_size of vocoder_stream.onnx", "frames of vocoder_stream.onnx"}));
  NEEDS_RUNTIME();
  options.check = true;
  const std::vector<std::string> checked = axes_of();
  ASSERT_EQ(checked.size(), unchecked.size());
  for (std::size_t i = 0; i < checked.size(); ++i) EXPECT_EQ(checked[i], unchecked[i] + " ran");
}

TEST(ProgramAxes, KeepTheRangesThatTheFileDeclares) {
  const TemporaryFolder folder;
  ExportOptions options;
  options.check = false;
  const std::filesystem::path out = folder / "model.onnx";
  const ExportReport report = export_model(data_folder() / "axes/last_rows.pt2", out, options);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_TRUE(report.notes[0].starts_with(
      "the file declares s27 to be at most 64, by aten.slice.Tensor at "))
      << report.notes[0];
  NEEDS_RUNTIME();
  EXPECT_EQ(Session(out).metadata().at("voxport.axes"), R"({"s27":{"max":64}})");
}

}  // namespace
}  // namespace voxport::programs_axes_test
