// Programs whose sizes come to something simple: nothing is said against their axes, and the sizes
// of their outputs are as simple; and programs that limit their sizes, which is declared. Recorded
// by tools/record_sizes.py.
#include <gtest/gtest.h>
#include <voxport/check.h>
#include <voxport/export.h>

#include "base/text.h"
#include "runtime/session.h"
#include "tests/cases.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/temporary_folder.h"

namespace voxport::programs_sizes_test {
namespace {

struct Recorded {
  const char* name;
  const char* input;
  const char* output;
};

constexpr Recorded kPrograms[] = {
    {"down_and_up", "x:f32[b,3,t]", "y: float32[b, 3, 8*floor((t + 7)/8)]"},
    {"chunked_attention", "x:f32[b,t]", "y: float32[b, t]"},
    {"valid_length", "x:f32[b,1,t]", "y: float32[b, 1, t]"},
    {"centered_padding", "x:f32[b,2,t]", "y: float32[b, 2, t]"},
    {"grouped_frames", "x:f32[b,t]", "y: float32[b, 17, floor((t + 7)/8) + 1, 3]"},
    {"both_halves", "x:f32[b,t,24]", "y: float32[b, t, 2]"},
};

class SizeIdentity : public testing::TestWithParam<Recorded> {};

INSTANTIATE_TEST_SUITE_P(Programs, SizeIdentity, testing::ValuesIn(kPrograms),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(SizeIdentity, IsNoLimit) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "model.onnx";
  ExportOptions options;
  options.inputs = {GetParam().input};
  options.output_names = {"y"};
  const std::string file = cat(GetParam().name, ".ts113.pt");
  const ExportReport report = export_model(data_folder() / "axes" / file, out, options);
  EXPECT_EQ(report.warnings, std::vector<std::string>());
  EXPECT_EQ(report.outputs, std::vector<std::string>{GetParam().output});
  NEEDS_RUNTIME();
  const Session session(out);
  const std::string cases = cat(GetParam().name, ".cases.safetensors");
  for (const Case& tested : read_cases(data_folder() / "axes" / cases)) {
    SCOPED_TRACE(tested.name);
    const Tensors found = session.run(inputs_for(session.inputs(), tested));
    constexpr double kTolerance = 1e-4;  // sums of a few hundred floats
    EXPECT_TRUE(is_close(found.at("y"), tested.outputs.at("y"), kTolerance));
  }
}

// What a program requires of its sizes, as PyTorch does.
struct Limited {
  const char* name;
  std::vector<std::string> inputs;
  const char* note;     // how it begins
  const char* verdict;  // of axis t
};

class SizeLimits : public testing::TestWithParam<Limited> {};

INSTANTIATE_TEST_SUITE_P(Programs, SizeLimits,
                         testing::Values(Limited{"halved_twice",
                                                 {"x:f32[b,3,t]"},
                                                 "t is a multiple of 4, by aten.add at ",
                                                 "dynamic in multiples of 4"},
                                         Limited{"reflected",
                                                 {"x:f32[b,3,t]"},
                                                 "t is at least 24, by aten.pad at ",
                                                 "dynamic, at least 24"},
                                         Limited{"upsampled_frames",
                                                 {"x:f32[b,3,t]", "frames:f32[b,3,n]"},
                                                 "t is 4*n - 8, by aten.add at ",
                                                 "dynamic, together with 4*n - 8"}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(SizeLimits, AreDeclaredAndNoFault) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "model.onnx";
  ExportOptions options;
  options.inputs = GetParam().inputs;
  options.output_names = {"y"};
  const std::filesystem::path source = data_folder() / "axes" / GetParam().name;
  const ExportReport report = export_model(source.native() + ".ts113.pt", out, options);
  EXPECT_EQ(report.warnings, std::vector<std::string>());
  EXPECT_TRUE(std::ranges::any_of(report.notes, [](const std::string& note) {
    return note.starts_with(GetParam().note);
  })) << to_json(report);
  NEEDS_RUNTIME();
  CheckOptions check;
  check.references = {source.native() + ".cases.safetensors"};
  const CheckReport checked = check_model(out, check);
  EXPECT_TRUE(checked.is_good()) << to_json(checked);
  const auto axis = std::ranges::find(checked.axes, "t", &CheckAxis::name);
  ASSERT_NE(axis, checked.axes.end());
  EXPECT_EQ(axis->text(), GetParam().verdict);
  EXPECT_GE(axis->good.size(), 3U);
}

// A size that one branch requires is not required where the other runs.
TEST(SizeLimits, OfABranchAreNotThoseOfTheProgram) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "model.onnx";
  ExportOptions options;
  options.inputs = {"x:f32[b,t]"};
  options.output_names = {"y"};
  options.check = false;
  const ExportReport report =
      export_model(data_folder() / "axes/one_branch.ts113.pt", out, options);
  EXPECT_EQ(report.warnings, std::vector<std::string>());
  EXPECT_EQ(report.notes, std::vector<std::string>());
  EXPECT_EQ(report.inputs, std::vector<std::string>{"x: float32[b, t]"});
  NEEDS_RUNTIME();
  CheckOptions check;
  check.references = {data_folder() / "axes/one_branch.cases.safetensors"};
  for (const CheckedCase& one : check_model(out, check).cases)
    EXPECT_TRUE(one.is_good()) << one.name << one.error;
}

}  // namespace
}  // namespace voxport::programs_sizes_test
