// What an exported graph tells of itself before it runs, and whether that is true: its axes by
// name, the relations between them, and how far an output frame looks.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/export.h>
#include <voxport/version.h>

#include "base/text.h"
#include "graph/dim.h"
#include "tests/needs_runtime.h"
#include "tests/voices.h"

namespace voxport::axes_test {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;
using Sizes = std::map<std::string, std::int64_t>;

class ExportAxes : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

Lines as_text(const std::vector<PortInfo>& ports) {
  Lines lines;
  for (const PortInfo& port : ports) lines.push_back(to_text(port));
  return lines;
}

ExportOptions all_inputs() {
  ExportOptions options;
  options.noise_input = true;
  options.batch_scales = true;
  return options;
}

TEST_F(ExportAxes, OfTwoGraphsHaveNames) {
  const TwoGraphs graphs(voice_named("speakers"));
  EXPECT_EQ(as_text(graphs.encoder.inputs()),
            (Lines{"input: int64 [batch_size, phonemes]", "input_lengths: int64 [batch_size]",
                   "scales: float32 [3]", "sid: int64 [batch_size]"}));
  EXPECT_EQ(
      as_text(graphs.encoder.outputs()),
      (Lines{"z: float32 [batch_size, 24, frames]", "y_mask: float32 [batch_size, 1, frames]",
             "g: float32 [batch_size, 16, 1]", "durations: float32 [batch_size, 1, phonemes]"}));
  EXPECT_EQ(as_text(graphs.decoder.inputs()),
            (Lines{"z: float32 [batch_size, 24, frames]", "y_mask: float32 [batch_size, 1, frames]",
                   "g: float32 [batch_size, 16, 1]"}));
  EXPECT_EQ(as_text(graphs.decoder.outputs()), Lines{"output: float32 [batch_size, 1, samples]"});
}

TEST_F(ExportAxes, OfOneGraphHaveNames) {
  const OneGraph voice(voice_named("speakers"), {});
  EXPECT_EQ(as_text(voice.graph.inputs()),
            (Lines{"input: int64 [batch_size, phonemes]", "input_lengths: int64 [batch_size]",
                   "scales: float32 [3]", "sid: int64 [batch_size]"}));
  EXPECT_EQ(as_text(voice.graph.outputs()),
            (Lines{"output: float32 [batch_size, 1, 1, samples]",
                   "durations: float32 [batch_size, 1, phonemes]"}));
}

TEST_F(ExportAxes, OfNoiseAndScalesHaveNames) {
  const OneGraph voice(voice_named("speakers"), all_inputs());
  EXPECT_EQ(as_text(voice.graph.inputs()),
            (Lines{"input: int64 [batch_size, phonemes]", "input_lengths: int64 [batch_size]",
                   "scales: float32 [batch_size, 3]", "sid: int64 [batch_size]",
                   "noise_w: float32 [batch_size, 2, phonemes]",
                   "noise: float32 [batch_size, 24, noise_frames]"}));
}

TEST_F(ExportAxes, OfAVoiceWithoutSpeakersOrNoiseInItsDurationsAreFewer) {
  const OneGraph voice(voice_named("plain-durations"), all_inputs());
  EXPECT_EQ(
      as_text(voice.graph.inputs()),
      (Lines{"input: int64 [batch_size, phonemes]", "input_lengths: int64 [batch_size]",
             "scales: float32 [batch_size, 3]", "noise: float32 [batch_size, 24, noise_frames]"}));
}

// What the names stand for in this run. Each name must stand for one size.
void learn(const std::vector<PortInfo>& ports, const Tensors& tensors, Sizes& sizes) {
  for (const PortInfo& port : ports) {
    const std::vector<std::int64_t>& shape = tensors.at(port.name).shape;
    ASSERT_EQ(shape.size(), port.axes.size()) << port.name;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (port.axes[axis].size) {
        EXPECT_EQ(shape[axis], *port.axes[axis].size) << port.name;
        continue;
      }
      const auto [known, is_new] = sizes.emplace(port.axes[axis].symbol, shape[axis]);
      EXPECT_EQ(known->second, shape[axis]) << port.name << " " << known->first;
    }
  }
}

// The axis as voxport.axes has it, where the other sizes are known: "equals" or "min", a number or
// an expression.
std::int64_t promised(const Session& graph, const std::string& axis, const char* what,
                      const Sizes& sizes) {
  const Json axes = Json::parse(graph.metadata().at("voxport.axes"));
  const Json& promise = axes.at(axis).at(what);
  if (promise.is_number()) return promise.get<std::int64_t>();
  const auto value =
      Dim::parse(promise.get<std::string>())
          .evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
            const auto known = sizes.find(std::string(name));
            return known == sizes.end() ? std::nullopt : std::optional(known->second);
          });
  return value.value_or(-1);
}

Rows rows_of(const std::vector<std::int64_t>& lengths) {
  Rows rows;
  for (const std::int64_t length : lengths) rows.push_back(phonemes(length, rows.size()));
  return rows;
}

const std::vector<std::vector<std::int64_t>> kLengths = {{1},  {2},    {9},
                                                         {60}, {1, 1}, {3, 17, 8, 1}};

class VoiceAxes : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

std::string test_name(const testing::TestParamInfo<const char*>& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Every rate and surplus of the vocoder that the voices have, with and without speakers.
INSTANTIATE_TEST_SUITE_P(Voices, VoiceAxes,
                         testing::Values("odd-sizes", "kernel-even", "kernel-uneven", "one-layer",
                                         "resblock1-speakers", "plain-speakers", "small-flow",
                                         "no-hyper"),
                         test_name);

TEST_P(VoiceAxes, AreAsLongAsPromisedInTwoGraphs) {
  const TestVoice& voice = voice_named(GetParam());
  const TwoGraphs graphs(voice);
  for (const auto& lengths : kLengths) {
    SCOPED_TRACE(shape_text(lengths));
    const Tensors inputs = inputs_of(graphs.encoder, rows_of(lengths), {0.6F, 1.2F, 0.8F});
    const Tensors said = graphs.speak(inputs);
    Sizes sizes;
    learn(graphs.encoder.inputs(), inputs, sizes);
    learn(graphs.encoder.outputs(), said, sizes);
    learn(graphs.decoder.outputs(), said, sizes);
    EXPECT_EQ(sizes.size(), 4U) << "batch_size, phonemes, frames, samples";
    for (const Session* graph : {&graphs.encoder, &graphs.decoder}) {
      EXPECT_EQ(sizes.at("samples"), promised(*graph, "samples", "equals", sizes));
      for (const char* axis : {"batch_size", "phonemes", "frames"})
        EXPECT_GE(sizes.at(axis), promised(*graph, axis, "min", sizes)) << axis;
    }
  }
}

// The frames cannot be seen from outside, but they are the durations' sum, of the longest row.
TEST_P(VoiceAxes, AreAsLongAsPromisedInOneGraph) {
  const TestVoice& voice = voice_named(GetParam());
  ExportOptions options = voice.options;
  options.noise_input = true;
  constexpr std::int64_t kEnoughFrames = 2000;
  const OneGraph exported(voice, options);
  for (const auto& lengths : kLengths) {
    SCOPED_TRACE(shape_text(lengths));
    const Tensors inputs =
        inputs_of(exported.graph, rows_of(lengths), {0.6F, 1.2F, 0.8F}, kEnoughFrames);
    const Tensors said = exported.graph.run(inputs);
    Sizes sizes;
    learn(exported.graph.inputs(), inputs, sizes);
    learn(exported.graph.outputs(), said, sizes);
    const std::vector<float> durations = to_float32(said.at("durations"));
    const auto width = static_cast<std::ptrdiff_t>(sizes.at("phonemes"));
    for (auto row = durations.begin(); row != durations.end(); row += width) {
      const double sum = std::accumulate(row, row + width, 0.0);
      sizes["frames"] = std::max(sizes["frames"], static_cast<std::int64_t>(sum));
    }
    EXPECT_EQ(sizes.at("samples"), promised(exported.graph, "samples", "equals", sizes));
    EXPECT_EQ(sizes.at("frames"), promised(exported.graph, "noise_frames", "min", sizes));
  }
}

// The frames, first and last, whose samples change when frame `changed` of z does.
std::pair<std::int64_t, std::int64_t> changed_frames(const Session& decoder, std::int64_t frames,
                                                     std::int64_t changed, std::int64_t hop) {
  const std::int64_t channels = *decoder.inputs()[0].axes[1].size;
  std::vector<float> z = to_float32(noise_of({1, channels, frames}, 5));
  Tensors inputs = {
      {"y_mask",
       tensor_of({1, 1, frames}, std::vector<float>(static_cast<std::size_t>(frames), 1.0F))},
      {"z", tensor_of({1, channels, frames}, z)}};
  if (decoder.inputs().size() == 3)
    inputs["g"] = noise_of({1, *decoder.inputs()[2].axes[1].size, 1}, 6);
  const std::vector<float> before = to_float32(decoder.run(inputs).at("output"));
  for (std::int64_t c = 0; c < channels; ++c)
    z[static_cast<std::size_t>(c * frames + changed)] += c % 2 == 0 ? 8.0F : -8.0F;
  inputs["z"] = tensor_of({1, channels, frames}, z);
  const std::vector<float> after = to_float32(decoder.run(inputs).at("output"));

  std::int64_t first = frames;
  std::int64_t last = -1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(frames * hop); ++i) {
    if (before[i] == after[i]) continue;
    const std::int64_t frame = static_cast<std::int64_t>(i) / hop;
    first = std::min(first, frame);
    last = std::max(last, frame);
  }
  return {first, last};
}

struct Field {
  std::int64_t left, right;
};

Field field_of(const Session& decoder) {
  const Json json = Json::parse(decoder.metadata().at("voxport.receptive_field"));
  return {json.at("left").get<std::int64_t>(), json.at("right").get<std::int64_t>()};
}

// How far a change was heard: what changes `left` frames later looked that far back.
Field measured(const Session& decoder) {
  const Field promise = field_of(decoder);
  const auto hop = std::stoll(decoder.metadata().at("voxport.hop_length"));
  const std::int64_t changed = promise.right + 3;
  const auto [first, last] = changed_frames(decoder, changed + promise.left + 4, changed, hop);
  return {last - changed, changed - first};
}

// No further, or chunks would have seams. No less, or they would be given what they do not need;
// but what passes the outermost taps of very many layers is rounded away.
void expect_promise(const Session& decoder, bool is_rounded_away) {
  const Field promise = field_of(decoder);
  const Field found = measured(decoder);
  EXPECT_LE(found.left, promise.left);
  EXPECT_LE(found.right, promise.right);
  if (is_rounded_away) return;
  EXPECT_EQ(found.left, promise.left);
  EXPECT_EQ(found.right, promise.right);
}

TEST_P(VoiceAxes, LookAsFarAsPromised) {
  const TestVoice& voice = voice_named(GetParam());
  for (const bool is_plain : {false, true}) {
    ExportOptions options = voice.options;
    options.plain = is_plain;
    options.cut_after_flow = true;
    expect_promise(TwoGraphs(voice, options).decoder, voice.name == "resblock1-speakers");
  }
}

TEST_P(VoiceAxes, LookAsFarAsPromisedThroughTheFlow) {
  const TestVoice& voice = voice_named(GetParam());
  expect_promise(TwoGraphs(voice).decoder, voice.name != "small-flow");
}

std::string sha256sum(const std::filesystem::path& path) {
  std::array<char, 65> digits{};
  std::FILE* pipe = popen(cat("sha256sum '", path.string(), "'").c_str(), "r");
  const bool is_whole = std::fread(digits.data(), 1, 64, pipe) == 64;
  pclose(pipe);
  return is_whole ? digits.data() : "";
}

TEST_F(ExportAxes, ComeWithMetadata) {
  const TestVoice& voice = voice_named("slt-x_low");
  const TwoGraphs graphs(voice);
  std::map<std::string, std::string> expected = {
      {"voxport.version", kVersion},
      {"voxport.architecture", "vits"},
      {"voxport.graph", "encoder"},
      {"voxport.axes", R"({"batch_size":{"min":1},"phonemes":{"min":1},"frames":{"min":1},)"
                       R"("samples":{"equals":"256*frames"}})"},
      {"voxport.hop_length", "256"},
      {"voxport.receptive_field", R"({"left":43,"right":43})"},
      {"voxport.sample_rate", "16000"},
      {"voxport.symbols", "256"},
      {"voxport.speakers", "1"},
      {"voxport.source_sha256", sha256sum(voice.checkpoint)},
      {"voxport.threads", "2"}};
  EXPECT_EQ(graphs.encoder.metadata(), expected);
  expected["voxport.graph"] = "decoder";
  expected["voxport.threads"] = "4";
  EXPECT_EQ(graphs.decoder.metadata(), expected);

  ExportOptions options = all_inputs();
  options.cut_after_flow = true;
  const OneGraph exported(voice, options);
  expected["voxport.graph"] = "voice";
  expected["voxport.receptive_field"] = R"({"left":11,"right":11})";
  expected["voxport.axes"] =
      R"({"batch_size":{"min":1},"phonemes":{"min":1},"frames":{"min":1},)"
      R"("noise_frames":{"min":"frames"},"samples":{"equals":"256*frames"}})";
  EXPECT_EQ(exported.graph.metadata(), expected);
}

}  // namespace
}  // namespace voxport::axes_test
