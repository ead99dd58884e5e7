#include "export/final_check.h"

#include <chrono>
#include <fstream>

#include <gtest/gtest.h>
#include <voxport/error.h>

#include "graph/print.h"
#include "runtime/library.h"
#include "tests/needs_runtime.h"
#include "tests/voices.h"

namespace voxport::final_check_test {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = VOXPORT_TEST_DATA "/check";

// An export of a program as this graph, whose axis `t` it names, as far as its check.
struct CheckedProgram {
  explicit CheckedProgram(const char* text) {
    const TemporaryFolder folder;
    std::ofstream(folder / "graph.onnx", std::ios::binary) << onnx_bytes(*parse_graph(text));
    report.axes.emplace_back().name = "t";
    check.start({{"out/model.onnx", 1, folder / "graph.onnx"}}, "model.onnx");
    check.finish(report);
  }

  ExportCheck check{true, ExportCheck::Promise::kAsTold};
  ExportReport report;
};

// What an export that wrote this model would have found.
ExportReport check(const fs::path& model, std::size_t files = 1) {
  ExportCheck check(true, ExportCheck::Promise::kAllDynamic);
  check.start(std::vector<WrittenFile>(files, {"out/model.onnx", 1, model}), "model.onnx");
  ExportReport report;
  check.finish(report);
  return report;
}

std::string problem_of(const fs::path& model) {
  try {
    check(model);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::kInternal);
    return error.what();
  }
}

TEST(ExportCheck, ReportsWhatWasRun) {
  NEEDS_RUNTIME();
  const ExportReport report = check(kModels / "conv-free.onnx");
  ASSERT_EQ(report.checks.size(), 1U);
  EXPECT_TRUE(report.checks[0].starts_with("ONNX Runtime " + runtime_version() + " ("));
  EXPECT_TRUE(report.checks[0].ends_with(" runs, all axes dynamic)"));
  EXPECT_EQ(report.notes, std::vector<std::string>());
}

TEST(ExportCheck, PassesEveryVoice) {
  NEEDS_RUNTIME();
  const TemporaryFolder folder;
  for (const TestVoice& voice : recorded_voices()) {
    ExportOptions options = voice.options;
    options.check = true;
    EXPECT_EQ(export_model(voice.checkpoint, folder / "voice", options).checks.size(), 3U)
        << voice.name;
  }
  ExportOptions options;
  options.check = true;
  for (const char* name : {"single", "resblock1-speakers", "plain-speakers"})
    EXPECT_EQ(
        export_model(voice_named(name).checkpoint, folder / "voice.onnx", options).checks.size(),
        3U)
        << name;
}

TEST(ExportCheck, FailsWhenAnAxisIsNailed) {
  NEEDS_RUNTIME();
  const std::string problem = problem_of(kModels / "expand-input.onnx");
  EXPECT_NE(problem.find("the exported graph is wrong: axis "), std::string::npos) << problem;
  EXPECT_NE(problem.find("'model.onnx' cannot be run with "), std::string::npos)
      << "it is run before it has its name: " << problem;
  EXPECT_NE(problem.find("checking 'model.onnx'; no file was written"), std::string::npos)
      << problem;
}

TEST(ExportCheck, NotesTheLeastSizeThatAWindowNeeds) {
  NEEDS_RUNTIME();
  const ExportReport report = check(kModels / "conv-valid.onnx");
  EXPECT_EQ(report.warnings, std::vector<std::string>());
  EXPECT_EQ(report.notes, std::vector<std::string>({"model.onnx: axis 't' is at least 3, by Conv "
                                                    "'/conv/Conv', its kernel of 3"}));
  ASSERT_EQ(report.checks.size(), 1U);
  EXPECT_TRUE(report.checks[0].ends_with(" runs, all axes dynamic)"));
}

TEST(ExportCheck, FindsALeastSizeFarAboveTheUsual) {
  NEEDS_RUNTIME();
  const TemporaryFolder folder;
  std::ofstream(folder / "audio.onnx", std::ios::binary) << onnx_bytes(*parse_graph(R"(
      x: f32[b, 1, samples]
      w: f32[4, 1, 400] = const
      y = Conv(x, w) strides=[160]
      return y)"));
  const ExportReport report = check(folder / "audio.onnx");
  EXPECT_EQ(report.notes,
            std::vector<std::string>({"model.onnx: axis 'samples' is at least 400, by "
                                      "Conv 'Conv', its kernel of 400"}));
}

// 4, 5, 8 and 9 run: it is not enough to try 1 and 4.
TEST(ExportCheck, ClaimsNoRangeWhereSizesBetweenDoNotRun) {
  NEEDS_RUNTIME();
  const TemporaryFolder folder;
  std::ofstream(folder / "unet.onnx", std::ios::binary) << onnx_bytes(*parse_graph(R"(
      x: f32[b, 4, t]
      down: f32[4, 4, 2] = const
      up: f32[4, 4, 2] = const
      d1 = Conv(x, down) strides=[2]
      d2 = Conv(d1, down) strides=[2]
      u1 = ConvTranspose(d2, up) strides=[2]
      y = Add(u1, d1)
      return y)"));
  const std::string problem = problem_of(folder / "unet.onnx");
  EXPECT_NE(problem.find("axis 't' is limited: 4, 5, "), std::string::npos) << problem;
}

// A network that runs at one size, and takes longer than there is time for at the next, may run at
// all of them.
TEST(ExportCheck, CallsNoAxisFixedForLackOfTime) {
  NEEDS_RUNTIME();
  const CheckedProgram program(R"(
      x: f32[1, 1, t]
      w: f32[1, 1, 3] = const
      large: f32[1500, 1500] = const
      axes: i64[1] = const [2]
      h = Conv(x, w)
      sum: f32[1, 1, 1] = ReduceSum(h, axes)
      scaled = Mul(large, sum)
      squared = MatMul(scaled, scaled)
      corner = ReduceMax(squared) axes=[1, 2]
      y = Add(h, corner)
      return y)");
  EXPECT_TRUE(program.check.fixed().empty());
  EXPECT_EQ(program.report.warnings, std::vector<std::string>());
}

// It halves the axis and doubles it again: that is how it was made, and nothing to be warned of.
TEST(ExportCheck, WarnsOfNoMultiplesWhereAProgramNeedsThem) {
  NEEDS_RUNTIME();
  const CheckedProgram program(R"(
      x: f32[b, 4, t]
      down: f32[4, 4, 2] = const
      up: f32[4, 4, 2] = const
      d = Conv(x, down) strides=[2]
      u = ConvTranspose(d, up) strides=[2]
      y = Add(u, x)
      return y)");
  EXPECT_EQ(program.report.warnings, std::vector<std::string>());
  EXPECT_EQ(program.report.axes[0].verdict, "dynamic in multiples of 2");
}

// 4, 5, 8 and 9 run, as in PyTorch: that is noted, and listed.
TEST(ExportCheck, NotesWhereAProgramRunsAtSomeSizesOnly) {
  NEEDS_RUNTIME();
  const CheckedProgram program(R"(
      x: f32[b, 4, t]
      down: f32[4, 4, 2] = const
      up: f32[4, 4, 2] = const
      d1 = Conv(x, down) strides=[2]
      d2 = Conv(d1, down) strides=[2]
      u1 = ConvTranspose(d2, up) strides=[2]
      y = Add(u1, d1)
      return y)");
  const ExportReport& report = program.report;
  EXPECT_EQ(report.warnings, std::vector<std::string>());
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_TRUE(
      report.notes[0].starts_with("model.onnx, run at a few sizes: axis 't' is limited: 4, 5, "))
      << report.notes[0];
  ASSERT_EQ(report.checks.size(), 1U);
  EXPECT_TRUE(report.checks[0].ends_with(" runs)")) << report.checks[0];
}

TEST(ExportCheck, EndsInTimeAndSaysWhatItDidNotRun) {
  NEEDS_RUNTIME();
  const auto start = std::chrono::steady_clock::now();
  const ExportReport report = check(kModels / "broken/loop-without-end.onnx");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 4);
  EXPECT_EQ(report.checks, std::vector<std::string>());
  EXPECT_EQ(report.warnings, std::vector<std::string>());
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_TRUE(report.notes[0].starts_with("model.onnx was not run at several sizes of each axis: "))
      << report.notes[0];
}

TEST(ExportCheck, ReadsAFileThatHasNoNameYet) {
  NEEDS_RUNTIME();
  const TemporaryFolder folder;
  for (const auto way : {OutputFiles::Way::kNamelessIfPossible, OutputFiles::Way::kHidden}) {
    OutputFiles files(way);
    OutputFile& file = files.add(folder / "model.onnx");
    file.append(Blob::map_file(kModels / "conv-free.onnx").bytes());
    EXPECT_EQ(check(file.readable()).checks.size(), 1U);
    EXPECT_FALSE(fs::exists(folder / "model.onnx"));
  }
}

TEST(ExportCheck, SaysThatWeightsInAnotherFileWereNotRun) {
  NEEDS_RUNTIME();
  const ExportReport report = check(kModels / "conv-free.onnx", 2);
  EXPECT_EQ(report.checks, std::vector<std::string>());
  EXPECT_EQ(report.notes,
            std::vector<std::string>({"model.onnx was not run: its weights are in a separate file; "
                                      "check it after the export"}));
}

}  // namespace
}  // namespace voxport::final_check_test
