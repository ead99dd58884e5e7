// Programs whose sizes come to something simple: nothing is said against their axes, and the sizes
// of their outputs are as simple. Recorded by tools/record_sizes.py.
#include <gtest/gtest.h>
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

}  // namespace
}  // namespace voxport::programs_sizes_test
