// What an export reports of the axes of a program.
#include <gtest/gtest.h>

#include "export/final_check.h"
#include "tests/data.h"

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

}  // namespace
}  // namespace voxport
