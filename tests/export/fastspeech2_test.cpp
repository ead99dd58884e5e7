// Every FastSpeech2, in every form it can be exported in, against what PyTorch gave for the same
// inputs.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>
#include <voxport/check.h>
#include <voxport/export.h>

#include "base/fail.h"
#include "base/tensor_math.h"
#include "graph/builder.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/voices.h"

namespace voxport::fastspeech2_test {
namespace {

namespace fs = std::filesystem;

// A mel has values around 10, after a dozen layers of random weights that do not all shrink errors.
constexpr double kMelTolerance = 1e-4;

fs::path file(const std::string& name) { return data_folder() / "voices" / name; }

ExportOptions options_for(const std::string& name) {
  ExportOptions options;
  options.check = false;  // tests run the graphs themselves
  options.configs = {file(name + ".model.yaml"), file(name + ".preprocess.yaml")};
  return options;
}

// The recorded cases, told by their names: `own` wants a control for energy, and c6 wants none.
std::vector<Case> cases_of(const std::string& name, bool has_own_control) {
  std::vector<Case> cases = read_cases(file(name + ".cases.safetensors"));
  std::erase_if(
      cases, [&](const Case& tested) { return tested.name == (has_own_control ? "c6" : "own"); });
  return cases;
}

Session exported(const std::string& name, const ExportOptions& options,
                 const TemporaryFolder& folder) {
  export_model(file(name + ".pth.tar"), folder / "mel.onnx", options);
  return Session(folder / "mel.onnx");
}

struct Form {
  std::string name;
  bool is_plain, has_own_control;
  int opset;
};

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

class ExportedFastSpeech2 : public testing::TestWithParam<std::tuple<std::string, Form>> {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

INSTANTIATE_TEST_SUITE_P(
    All, ExportedFastSpeech2,
    testing::Combine(testing::Values("fastspeech2", "fastspeech2-speakers-frame-level",
                                     "fastspeech2-log-mixed", "fastspeech2-module",
                                     "fastspeech2-half"),
                     testing::Values(Form{"opset_17", false, false, 17},
                                     Form{"plain_opset_13", true, false, 13},
                                     Form{"own_control_opset_15", false, true, 15},
                                     Form{"opset_20", false, false, 20})),
    [](const auto& test) {
      std::string name = cat(std::get<0>(test.param), "_", std::get<1>(test.param).name);
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST_P(ExportedFastSpeech2, GivesWhatPyTorchGives) {
  const auto& [name, form] = GetParam();
  ExportOptions options = options_for(name);
  options.plain = form.is_plain;
  options.own_energy_control = form.has_own_control;
  options.opset = form.opset;
  const TemporaryFolder folder;
  const Session session = exported(name, options, folder);
  std::size_t longest = 0;
  for (const Case& tested : cases_of(name, form.has_own_control)) {
    SCOPED_TRACE(tested.name);
    const Tensors found = session.run(inputs_for(session.inputs(), tested));
    EXPECT_TRUE(is_equal(found.at("durations"), tested.outputs.at("durations")));
    EXPECT_TRUE(is_equal(found.at("output_lengths"), tested.outputs.at("output_lengths")));
    EXPECT_TRUE(is_close(found.at("output_mel"), tested.outputs.at("output_mel"), kMelTolerance));
    longest = std::max(longest, static_cast<std::size_t>(found.at("output_mel").shape[1]));
  }
  EXPECT_GT(longest, 80U) << "more frames than most of them have positions for";
}

// The pair that is bundled, in half precision; the cases are those of PyTorch from the same.
TEST(BundledFastSpeech2, GivesWhatPyTorchGives) {
  NEEDS_RUNTIME();
  constexpr double kAudioTolerance = 5e-5;
  const TemporaryFolder folder;
  ExportOptions options;
  options.check = false;
  options.vocoder = voices_folder() / "hifigan-slt.pth";
  options.duration_control = DurationControl::kTruncated;
  export_model(voices_folder() / "fastspeech2-slt.pth.tar", folder / "voice", options);
  const Session acoustic(folder / "voice" / "acoustic.onnx");
  const Session vocoder(folder / "voice" / "vocoder.onnx");
  int spoken = 0;
  for (const Case& tested : read_cases(file("fastspeech2-slt.cases.safetensors"))) {
    SCOPED_TRACE(tested.name);
    const Tensors found = acoustic.run(inputs_for(acoustic.inputs(), tested));
    EXPECT_TRUE(is_equal(found.at("durations"), tested.outputs.at("durations")));
    EXPECT_TRUE(is_equal(found.at("output_lengths"), tested.outputs.at("output_lengths")));
    EXPECT_TRUE(is_close(found.at("output_mel"), tested.outputs.at("output_mel"), kMelTolerance));
    if (!tested.outputs.contains("audio")) continue;
    const Tensor mel = permuted(tested.outputs.at("output_mel"), {0, 2, 1});
    EXPECT_TRUE(is_close(vocoder.run({{"mel", mel}}).at("audio"), tested.outputs.at("audio"),
                         kAudioTolerance));
    ++spoken;
  }
  EXPECT_EQ(spoken, 1);
}

class FastSpeech2Export : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
  TemporaryFolder folder_;
};

TEST_F(FastSpeech2Export, PassesTheCheck) {
  for (const char* name : {"fastspeech2", "fastspeech2-speakers-frame-level",
                           "fastspeech2-log-mixed", "fastspeech2-module", "fastspeech2-half"}) {
    for (const bool is_silent : {false, true}) {
      SCOPED_TRACE(name);
      ExportOptions options = options_for(name);
      options.check = true;
      options.silent_padding = is_silent;
      const ExportReport report =
          export_model(file(cat(name, ".pth.tar")), folder_ / "mel.onnx", options);
      EXPECT_TRUE(report.checks.back().ends_with("all axes dynamic)")) << report.checks.back();
      EXPECT_TRUE(report.notes.empty());
      EXPECT_TRUE(check_model(folder_ / "mel.onnx").is_good());
    }
  }
}

// One graph for all lengths: nothing in it goes round, chooses, or counts what is there.
TEST_F(FastSpeech2Export, HasNeitherLoopsNorBranches) {
  const Session session = exported("fastspeech2-speakers-frame-level",
                                   options_for("fastspeech2-speakers-frame-level"), folder_);
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(contents(folder_ / "mel.onnx")));
  const std::set<std::string> unwanted = {"Loop", "NonZero", "If", "Scan", "ScatterND"};
  for (const onnx::NodeProto& node : model.graph().node())
    EXPECT_FALSE(unwanted.contains(node.op_type())) << node.name();
}

Tensors inputs(const std::vector<std::int64_t>& lengths, std::int64_t width) {
  const auto rows = static_cast<std::int64_t>(lengths.size());
  std::vector<std::int64_t> ids;
  for (const std::int64_t length : lengths)
    for (std::int64_t i = 0; i < width; ++i) ids.push_back(i < length ? 1 + i % 19 : 0);
  return {{"input_tokens", int64_tensor({rows, width}, ids)},
          {"input_lengths", int64_tensor({rows}, lengths)},
          {"controls", tensor_of({3}, {1, 1, 1})}};
}

TEST_F(FastSpeech2Export, WithSilentPaddingGivesEachRowAsIfAlone) {
  ExportOptions options = options_for("fastspeech2-log-mixed");
  options.silent_padding = true;
  const Session session = exported("fastspeech2-log-mixed", options, folder_);
  const std::vector<std::int64_t> lengths = {9, 1, 5};
  const Tensors together = session.run(inputs(lengths, 12));
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    const auto index = static_cast<std::int64_t>(row);
    const Tensors alone = session.run(inputs({lengths[row]}, lengths[row]));
    const std::int64_t frames = alone.at("output_mel").shape[1];
    const Tensor mel = part_of(together.at("output_mel"), 0, index, index + 1);
    EXPECT_TRUE(is_close(part_of(mel, 1, 0, frames), alone.at("output_mel"), kMelTolerance));
    const Tensor beyond = part_of(mel, 1, frames, mel.shape[1]);
    EXPECT_TRUE(is_equal(beyond, zeros_of(beyond.shape)));
  }
}

TEST_F(FastSpeech2Export, GivesARowWithoutTokensNoFrames) {
  const Session session =
      exported("fastspeech2-log-mixed", options_for("fastspeech2-log-mixed"), folder_);
  const Tensors found = session.run(inputs({0}, 3));
  EXPECT_TRUE(is_equal(found.at("output_lengths"), int64_tensor({1}, {0})));
  EXPECT_TRUE(is_equal(found.at("durations"), zeros_of({1, 3})));
  EXPECT_EQ(found.at("output_mel").shape, (std::vector<std::int64_t>{1, 1, 20}));
}

TEST_F(FastSpeech2Export, HasLimitsForControlsThatMakeNoSense) {
  const Session session =
      exported("fastspeech2-log-mixed", options_for("fastspeech2-log-mixed"), folder_);
  Tensors given = inputs({3}, 3);
  given["controls"] = tensor_of({3}, {1, 1, -5});
  EXPECT_TRUE(is_equal(session.run(given).at("output_lengths"), int64_tensor({1}, {0})));
}

// Durations that are multiplied by many show what they were before they were rounded. Rows of one
// token each, for the frames of a row attend to one another.
TEST_F(FastSpeech2Export, RoundsDurationsLastWhereThatIsWanted) {
  constexpr float kMany = 128, kControl = 0.8F;
  const char* const name = "fastspeech2-log-mixed";
  ExportOptions options = options_for(name);
  const Session reference = exported(name, options, folder_);
  EXPECT_EQ(reference.metadata().at("voxport.duration_control"), "truncated");
  options.duration_control = DurationControl::kRounded;
  const Session rounded = exported(name, options, folder_);
  EXPECT_EQ(rounded.metadata().at("voxport.duration_control"), "rounded");
  constexpr std::int64_t kRows = 12;
  Tensors given = inputs(std::vector<std::int64_t>(kRows, 1), 1);
  std::vector<std::int64_t> ids(kRows);
  std::iota(ids.begin(), ids.end(), 1);
  given["input_tokens"] = int64_tensor({kRows, 1}, ids);
  const auto durations = [&](const Session& session, float control) {
    given["controls"] = tensor_of({3}, {1, 1, control});
    return to_float32(session.run(given).at("durations"));
  };
  EXPECT_EQ(durations(rounded, 1), durations(reference, 1));
  const std::vector<float> exact = durations(rounded, kMany);
  const std::vector<float> found = durations(rounded, kControl);
  std::vector<float> expected;
  for (const float parts : exact) {
    const bool lasts = std::nearbyint(parts / kMany) >= 1;
    expected.push_back(std::max(std::nearbyint(parts / kMany * kControl), lasts ? 1.0F : 0));
  }
  EXPECT_EQ(found, expected);
  EXPECT_NE(found, durations(reference, kControl));
}

TEST_F(FastSpeech2Export, RefusesTokensBeyondTheTable) {
  const Session session =
      exported("fastspeech2-log-mixed", options_for("fastspeech2-log-mixed"), folder_);
  Tensors given = inputs({3}, 3);
  given["input_tokens"] = int64_tensor({1, 3}, {1, 20, 2});
  const std::string message = message_of([&] { session.run(given); });
  EXPECT_NE(message.find("encoder.src_word_emb"), std::string::npos) << message;
  EXPECT_NE(message.find("20"), std::string::npos) << message;
}

TEST_F(FastSpeech2Export, TellsAboutItselfInItsMetadata) {
  const Session session =
      exported("fastspeech2-module", options_for("fastspeech2-module"), folder_);
  const auto& metadata = session.metadata();
  EXPECT_EQ(metadata.at("voxport.architecture"), "fastspeech2");
  EXPECT_EQ(metadata.at("voxport.graph"), "acoustic");
  EXPECT_EQ(metadata.at("voxport.symbols"), "20");
  EXPECT_EQ(metadata.at("voxport.speakers"), "4");
  EXPECT_EQ(metadata.at("voxport.mel_channels"), "20");
  EXPECT_EQ(metadata.at("voxport.sample_rate"), "22050");
  EXPECT_EQ(metadata.at("voxport.hop_length"), "15");
  EXPECT_EQ(metadata.at("voxport.energy_control"), "pitch");
  EXPECT_EQ(metadata.at("voxport.padding"), "heard");
  EXPECT_EQ(metadata.at("voxport.duration_control"), "truncated");
  EXPECT_EQ(metadata.at("voxport.axes"),
            R"({"batch_size":{"min":1},"sequence_length":{"min":1},"frames":{"min":1}})");
}

}  // namespace
}  // namespace voxport::fastspeech2_test
