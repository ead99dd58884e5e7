// Voices that were published as one graph become what their checkpoints become.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>
#include <voxport/export.h>
#include <voxport/inspect.h>

#include "base/tensor_math.h"
#include "checkpoint/checkpoint.h"
#include "graph/print.h"
#include "onnx/noise_copy.h"
#include "onnx/read.h"
#include "recover/recover.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/pieces.h"
#include "tests/voices.h"

namespace voxport::published_voice_test {
namespace {

namespace fs = std::filesystem;

constexpr double kLatentTolerance = 1e-5;  // as in export_test.cpp
constexpr double kAudioTolerance = 5e-5;
constexpr double kStreamTolerance = 2e-6;  // after rounding to 16 bits, at most one step

fs::path piper_folder() { return data_folder() / "families" / "piper"; }

TestVoice published_voice(const std::string& name) {
  TestVoice voice{name,
                  piper_folder() / (name + ".onnx"),
                  {piper_folder() / (name + ".cases.safetensors")},
                  {}};
  voice.options.check = false;  // tests run the graphs themselves
  return voice;
}

class PublishedVoice : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
  static TestVoice voice() { return published_voice(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Piper, PublishedVoice,
                         testing::Values("single", "speakers", "plain-durations", "high", "folded"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(PublishedVoice, SpeaksAsPyTorchDoes) {
  for (const int opset : {13, 17}) {
    ExportOptions options = voice().options;
    options.opset = opset;
    const TwoGraphs two(voice(), options);
    const OneGraph one(voice(), options);
    for (const Case& tested : voice().cases()) {
      SCOPED_TRACE(tested.name);
      const Tensors found = two.speak(inputs_of(two.encoder, tested));
      for (const char* name : {"durations", "y_mask"})
        EXPECT_TRUE(is_equal(found.at(name), tested.outputs.at(name)));
      EXPECT_TRUE(is_close(found.at("z"),
                           masked(tested.outputs.at("z"), tested.outputs.at("y_mask")),
                           kLatentTolerance));
      const Tensor& audio = tested.outputs.at("output");
      EXPECT_TRUE(is_close(found.at("output"), audio, kAudioTolerance));
      const Tensors whole = one.graph.run(inputs_of(one.graph, tested));
      EXPECT_TRUE(is_close(whole.at("output"),
                           reshaped(audio, {audio.shape[0], 1, 1, audio.shape[2]}),
                           kAudioTolerance));
    }
  }
}

TEST_P(PublishedVoice, StreamsWhatItSays) {
  const TwoGraphs two(voice());
  const Session stream(two.folder / "decoder_stream.onnx");
  const std::int64_t first = std::stoll(stream.metadata().at("voxport.first_frames"));
  for (const Case& tested : voice().cases()) {
    if (tested.inputs.at("input").shape[0] != 1) continue;  // rows end at different frames
    SCOPED_TRACE(tested.name);
    Tensors latent = two.speak(inputs_of(two.encoder, tested));
    const Tensor audio = latent.at("output");
    Tensors others;
    if (latent.contains("g")) others.emplace("g", latent.at("g"));
    const std::int64_t frames = latent.at("z").shape[2];
    for (const std::int64_t width : {1, 7, 45}) {
      std::vector<std::int64_t> widths = {std::max(first, width)};
      for (std::int64_t at = widths[0] + width; at < frames; at += width) widths.push_back(width);
      if (widths[0] >= frames) continue;  // all at once, by the decoder
      EXPECT_TRUE(is_close(output_in_pieces(stream, "z", latent.at("z"), widths, others), audio,
                           kStreamTolerance));
    }
  }
}

// The published graph itself, with the same noise.
TEST_P(PublishedVoice, SpeaksAsItsOwnFileDoes) {
  const TestVoice voice = this->voice();
  const Blob file = Blob::map_file(voice.checkpoint);
  const Session own = Session::from_bytes(Blob::own(noise_copy(file.bytes())), "published");
  ExportOptions options = voice.options;
  options.noise_input = true;
  const OneGraph ours(voice, options);
  const std::int64_t count = 9;
  const std::int64_t channels =
      *std::ranges::find(ours.graph.inputs(), "noise", &PortInfo::name)->axes[1].size;
  constexpr std::int64_t kMostFrames = 400;
  Tensors inputs = inputs_of(ours.graph, {phonemes(count, 3)}, {0.667F, 1.1F, 0.8F}, kMostFrames);
  const std::int64_t frames = ours.graph.run(inputs).at("output").shape[3] /
                              std::stoll(ours.graph.metadata().at("voxport.hop_length"));
  inputs.at("noise") = part_of(inputs.at("noise"), 2, 0, frames);
  const Tensor expected = ours.graph.run(inputs).at("output");

  Tensors given;
  std::vector<float> noise;
  if (inputs.contains("noise_w")) noise = to_float32(inputs.at("noise_w"));
  const std::vector<float> more = to_float32(inputs.at("noise"));
  noise.insert(noise.end(), more.begin(), more.end());
  ASSERT_EQ(more.size(), static_cast<std::size_t>(channels * frames));
  for (const PortInfo& port : own.inputs())
    if (inputs.contains(port.name)) given.emplace(port.name, inputs.at(port.name));
  given.emplace(kNoiseInput, tensor_of({static_cast<std::int64_t>(noise.size())}, noise));
  EXPECT_TRUE(is_close(own.run(given).at("output"), expected, kAudioTolerance));
}

TEST_P(PublishedVoice, GivesItsWeightsToOthers) {
  const TemporaryFolder folder;
  const fs::path weights = folder / "weights.safetensors";
  const ExportReport report = export_model(voice().checkpoint, weights, voice().options);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"weights.safetensors"});
  EXPECT_EQ(report.opset, 0);
  fs::copy_file(voice().checkpoint.native() + ".json", folder / "weights.json");
  export_model(weights, folder / "of_weights", voice().options);
  export_model(voice().checkpoint, folder / "of_graph", voice().options);
  for (const char* name : {"encoder.onnx", "decoder.onnx", "decoder_stream.onnx"}) {
    const OnnxModel one = read_onnx(folder / "of_weights" / name);
    const OnnxModel other = read_onnx(folder / "of_graph" / name);
    ASSERT_EQ(one.initializers.size(), other.initializers.size());
    for (std::size_t i = 0; i < one.initializers.size(); ++i)
      EXPECT_EQ(contiguous(*one.initializers[i].second.constant()).text(),
                contiguous(*other.initializers[i].second.constant()).text())
          << one.initializers[i].first;
  }
}

TEST_P(PublishedVoice, IsInspectedAsAVoice) {
  const Inspection inspection = inspect(voice().checkpoint);
  EXPECT_EQ(inspection.architecture, "vits");
  EXPECT_NE(inspection.architecture_text.find("`voxport export` recovers its weights"),
            std::string::npos);
}

// Units in the last place between two numbers.
std::int64_t units_between(float a, float b) {
  const auto place = [](float value) {
    std::int32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits < 0 ? std::int64_t{INT32_MIN} - bits : std::int64_t{bits};
  };
  return std::abs(place(a) - place(b));
}

// PyTorch folds weight norm in float32 and in steps, we in double: four roundings in place of one.
constexpr std::int64_t kFoldedUnits = 4;

// small-flow.onnx is what Piper's exporter makes of small-flow.ckpt under PyTorch 1.13, with
// numbers for the names of values.
TEST(ExportPublishedVoice, HasTheWeightsOfItsCheckpoint) {
  const fs::path folder = data_folder() / "voices";
  const NamedTensors recovered(recover_voice(read_onnx(folder / "small-flow.onnx")).weights);
  const NamedTensors trained = *find_weights(open_checkpoint(folder / "small-flow.ckpt").root);
  std::size_t folded = 0;
  for (const auto& [name, tensor] : recovered) {
    SCOPED_TRACE(name);
    const std::string whole = "model_g." + name;
    const std::vector<float> found = to_float32(tensor);
    if (const Tensor* plain = trained.find(whole)) {
      EXPECT_EQ(found, to_float32(*plain));
      continue;
    }
    ++folded;
    const std::vector<float> expected =
        to_float32(fold_weight_norm(*trained.find(whole + "_g"), *trained.find(whole + "_v")));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_LE(units_between(found[i], expected[i]), kFoldedUnits);
  }
  EXPECT_GT(folded, 10U);
}

// It has no weight norm, so that everything is the checkpoint's to the bit.
TEST(ExportPublishedVoice, HasTheEncoderOfItsCheckpoint) {
  const TemporaryFolder folder;
  ExportOptions options;
  options.check = false;
  options.hyper_parameters = {{"sample_rate", "22050"}};
  export_model(data_folder() / "voices/small-flow.onnx", folder / "published", options);
  export_model(data_folder() / "voices/small-flow.ckpt", folder / "trained", options);
  const OnnxModel one = read_onnx(folder / "published/encoder.onnx");
  const OnnxModel other = read_onnx(folder / "trained/encoder.onnx");
  EXPECT_EQ(print(*one.graph), print(*other.graph));
  ASSERT_EQ(one.initializers.size(), other.initializers.size());
  for (std::size_t i = 0; i < one.initializers.size(); ++i)
    EXPECT_EQ(contiguous(*one.initializers[i].second.constant()).text(),
              contiguous(*other.initializers[i].second.constant()).text());
}

TEST(ExportPublishedVoice, RefusesOtherGraphs) {
  const TemporaryFolder folder;
  EXPECT_NE(message_of([&] {
              export_model(data_folder() / "onnx" / "full.onnx", folder / "out");
            }).find("is not a voice of Piper's exporter"),
            std::string::npos);
  ExportOptions options;
  options.check = false;
  export_model(piper_folder() / "plain-durations.onnx", folder / "ours.onnx", options);
  EXPECT_NE(message_of([&] {
              export_model(folder / "ours.onnx", folder / "out");
            }).find("voxport made this graph"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(ExportPublishedVoice, RefusesOptionsOfGraphsForWeights) {
  const TemporaryFolder folder;
  ExportOptions options;
  options.target = "sherpa";
  EXPECT_NE(message_of([&] {
              export_model(piper_folder() / "folded.onnx", folder / "w.safetensors", options);
            }).find("options of graphs were given"),
            std::string::npos);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace voxport::published_voice_test
