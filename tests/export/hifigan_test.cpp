// Every HiFi-GAN against what PyTorch gave for the same mel, at once and in pieces; and the folder
// that it makes behind a FastSpeech2.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/check.h>
#include <voxport/export.h>

#include "base/fail.h"
#include "base/tensor_math.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/pieces.h"
#include "tests/voices.h"

namespace voxport::hifigan_test {
namespace {

namespace fs = std::filesystem;

// Some thirty layers of random weights, in float32.
constexpr double kAudioTolerance = 1e-4;
// After rounding to 16 bits, samples are at most one step apart.
constexpr double kPiecesTolerance = 1e-5;

fs::path file(const std::string& name) { return data_folder() / "voices" / name; }

ExportOptions options_for(const std::string& name) {
  ExportOptions options;
  options.check = false;  // tests run the graphs themselves
  options.configs = {file(name + ".config.json")};
  return options;
}

class ExportedHifigan : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
  std::vector<Case> cases() const { return read_cases(file(GetParam() + ".cases.safetensors")); }
  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(All, ExportedHifigan,
                         testing::Values("hifigan-v1", "hifigan-resblock2", "hifigan-odd"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(ExportedHifigan, GivesWhatPyTorchGives) {
  for (const bool is_plain : {false, true}) {
    ExportOptions options = options_for(GetParam());
    options.plain = is_plain;
    options.opset = is_plain ? 13 : 17;
    export_model(file(GetParam() + ".pth"), folder_ / "vocoder.onnx", options);
    const Session vocoder(folder_ / "vocoder.onnx");
    for (const Case& tested : cases()) {
      SCOPED_TRACE(tested.name);
      EXPECT_TRUE(is_close(vocoder.run(tested.inputs).at("audio"), tested.outputs.at("audio"),
                           kAudioTolerance));
    }
  }
}

TEST_P(ExportedHifigan, GivesTheSameInPieces) {
  export_model(file(GetParam() + ".pth"), folder_.path(), options_for(GetParam()));
  const Session stream(folder_ / "vocoder_stream.onnx");
  const std::int64_t first = std::stoll(stream.metadata().at("voxport.first_frames"));
  for (const Case& tested : cases()) {
    SCOPED_TRACE(tested.name);
    const Tensor& mel = tested.inputs.at("mel");
    const Tensor whole = output_in_pieces(stream, "mel", mel, {});
    EXPECT_TRUE(is_close(whole, tested.outputs.at("audio"), kAudioTolerance));
    if (mel.shape[2] <= first) continue;
    for (const std::vector<std::int64_t>& widths :
         {std::vector<std::int64_t>{first}, {first, 1, 1}, {first + 2, 5}})
      EXPECT_TRUE(is_close(output_in_pieces(stream, "mel", mel, widths), whole, kPiecesTolerance));
  }
}

TEST_P(ExportedHifigan, PassesTheCheck) {
  ExportOptions options = options_for(GetParam());
  options.check = true;
  const ExportReport report = export_model(file(GetParam() + ".pth"), folder_.path(), options);
  EXPECT_TRUE(report.checks.back().ends_with("all axes dynamic)")) << report.checks.back();
  EXPECT_EQ(report.files.size(), 2U);
  for (const char* name : {"vocoder.onnx", "vocoder_stream.onnx"})
    EXPECT_TRUE(check_model(folder_ / name).is_good()) << name;
}

TEST_P(ExportedHifigan, TellsAboutItselfInItsMetadata) {
  export_model(file(GetParam() + ".pth"), folder_ / "vocoder.onnx", options_for(GetParam()));
  const auto metadata = Session(folder_ / "vocoder.onnx").metadata();
  EXPECT_EQ(metadata.at("voxport.architecture"), "hifigan");
  EXPECT_EQ(metadata.at("voxport.graph"), "vocoder");
  EXPECT_EQ(metadata.at("voxport.sample_rate"), "22050");
  if (GetParam() != "hifigan-v1") return;
  EXPECT_EQ(metadata.at("voxport.hop_length"), "256");
  EXPECT_EQ(metadata.at("voxport.mel_channels"), "80");
  EXPECT_EQ(metadata.at("voxport.receptive_field"), R"({"left":13,"right":13})");
  EXPECT_EQ(metadata.at("voxport.axes"),
            R"({"batch_size":{"min":1},"frames":{"min":1},"samples":{"equals":"256*frames"}})");
}

class FolderThatSpeaks : public testing::Test {
 protected:
  void SetUp() override {
    options_.check = false;
    options_.configs = {file("fastspeech2.model.yaml"), file("fastspeech2.preprocess.yaml")};
    options_.vocoder = file("hifigan-v1.pth");
    options_.vocoder_configs = {file("hifigan-v1.config.json")};
  }
  std::string failure(const fs::path& out) {
    return message_of([&] { export_model(file("fastspeech2.pth.tar"), out, options_); });
  }
  ExportOptions options_;
  TemporaryFolder folder_;
};

TEST_F(FolderThatSpeaks, HasBothNetworksAndTheirConfig) {
  const ExportReport report = export_model(file("fastspeech2.pth.tar"), folder_.path(), options_);
  std::vector<std::string> names;
  for (const ExportedFile& written : report.files) names.push_back(written.path.filename());
  EXPECT_EQ(names, (std::vector<std::string>{"acoustic.onnx", "vocoder.onnx", "vocoder_stream.onnx",
                                             "voice.json"}));
  const auto voice = nlohmann::json::parse(contents(folder_ / "voice.json"));
  EXPECT_EQ(voice["architecture"], "fastspeech2");
  EXPECT_EQ(voice["streaming"], true);
  EXPECT_EQ(voice["audio"]["sample_rate"], 22050);
  EXPECT_EQ(voice["hop_length"], 256);
  EXPECT_EQ(voice["num_symbols"], 361);
  EXPECT_EQ(voice["num_speakers"], 1);
}

TEST_F(FolderThatSpeaks, SaysWhatPyTorchSays) {
  NEEDS_RUNTIME();
  export_model(file("fastspeech2.pth.tar"), folder_.path(), options_);
  const Session acoustic(folder_ / "acoustic.onnx");
  const Session vocoder(folder_ / "vocoder.onnx");
  const Session stream(folder_ / "vocoder_stream.onnx");
  const Case tested = read_cases(file("fastspeech2.cases.safetensors")).at(1);
  const Tensor mel =
      permuted(acoustic.run(inputs_for(acoustic.inputs(), tested)).at("output_mel"), {0, 2, 1});
  const Tensor expected = permuted(tested.outputs.at("output_mel"), {0, 2, 1});
  const Tensor audio = vocoder.run({{"mel", mel}}).at("audio");
  EXPECT_EQ(audio.shape, (std::vector<std::int64_t>{1, 1, 256 * mel.shape[2]}));
  EXPECT_TRUE(is_close(audio, vocoder.run({{"mel", expected}}).at("audio"), kAudioTolerance));
  EXPECT_TRUE(is_close(output_in_pieces(stream, "mel", mel, {30, 5}), audio, kPiecesTolerance));
}

TEST_F(FolderThatSpeaks, NeedsNetworksThatFit) {
  options_.vocoder = file("hifigan-resblock2.pth");
  options_.vocoder_configs = {file("hifigan-resblock2.config.json")};
  options_.hyper_parameters = {{"sampling_rate", "16000"}};
  EXPECT_EQ(failure(folder_.path()),
            cat("the vocoder does not fit the acoustic model\n"
                "  the acoustic model has mel channels 80, the vocoder 20\n"
                "  the acoustic model has the hop 256, the vocoder 15\n"
                "  the acoustic model has the sampling rate 22050, the vocoder 16000\n"
                "  while exporting '",
                file("fastspeech2.pth.tar").native(), "'"));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(FolderThatSpeaks, IsRefusedWhereItMakesNoSense) {
  EXPECT_TRUE(failure(folder_ / "one.onnx").starts_with("a vocoder is a graph of its own"));
  options_.vocoder = file("single.ckpt");
  EXPECT_TRUE(failure(folder_.path())
                  .starts_with("this is not a HiFi-GAN generator, but a VITS (Piper)\n"));
  options_.vocoder.clear();
  EXPECT_TRUE(
      failure(folder_.path()).starts_with("there is a config for a vocoder, but no vocoder"));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace voxport::hifigan_test
