// What an export reports of the axes of a program.
#include <gtest/gtest.h>

#include "export/final_check.h"
#include "runtime/session.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/temporary_folder.h"

namespace voxport {
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
  check.start({{"out/model.onnx", 1, data_folder() / "check" / "conv-free.onnx"}});
  ExportReport report;
  report.axes = std::move(axes);
  check.finish(report);
  const std::string text = report.checks.empty() ? "" : report.checks[0];
  return text.substr(text.find(" runs") + 5);
}

TEST(ProgramAxes, AreAllFreeInTheSummaryWhereAllAre) {
  EXPECT_EQ(checked({{"batch", {}, ""}, {"time", {}, ""}}), ", all axes dynamic)");
  EXPECT_EQ(checked({{"time", 4, "aten.view"}, {"batch", {}, ""}}),
            ", time fixed at 4, batch dynamic)");
  EXPECT_EQ(checked({}), ", no axis is dynamic)");
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
}  // namespace voxport
