// The voices of every family, against what the code of their authors gave for the same inputs.
#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>
#include <voxport/export.h>

#include "base/text.h"
#include "tests/needs_runtime.h"
#include "tests/pieces.h"
#include "tests/voices.h"

namespace voxport::families_test {
namespace {

// As for the voices of Piper's trainer: sums of the same products in another order.
constexpr double kLatentTolerance = 1e-5;
constexpr double kAudioTolerance = 5e-5;
// After rounding to 16 bits, samples are at most one step apart.
constexpr double kStreamTolerance = 2e-6;

class FamilyVoice : public testing::TestWithParam<std::tuple<TestVoice, int>> {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }

  static const TestVoice& voice() { return std::get<0>(GetParam()); }
  static ExportOptions options() {
    ExportOptions options = voice().options;
    options.opset = std::get<1>(GetParam());
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(
    All, FamilyVoice, testing::Combine(testing::ValuesIn(family_voices()), testing::Values(13, 17)),
    [](const auto& test) {
      std::string name = cat(std::get<0>(test.param).name, "_opset_", std::get<1>(test.param));
      std::ranges::replace(name, '-', '_');
      return name;
    });

// What the stream decoder gives for the latent sequence of a case, in pieces of so many frames.
Tensor streamed(const Session& stream, const Case& tested, std::int64_t frames) {
  const Tensor& z = tested.inputs.at("z");
  const std::int64_t first = std::stoll(stream.metadata().at("voxport.first_frames"));
  std::vector<std::int64_t> widths;
  for (std::int64_t done = 0; done < z.shape[2]; done += widths.back())
    widths.push_back(std::min(z.shape[2] - done, done == 0 ? std::max(first, frames) : frames));
  widths.pop_back();  // the last piece is what is left
  Tensors others;
  if (tested.inputs.contains("g")) others.emplace("g", tested.inputs.at("g"));
  return output_in_pieces(stream, "z", z, widths, others);
}

TEST_P(FamilyVoice, SpeaksInTwoGraphsAsItsAuthorsDo) {
  const TwoGraphs graphs(voice(), options());
  const Session stream(graphs.folder / "decoder_stream.onnx");
  for (const Case& tested : voice().cases()) {
    SCOPED_TRACE(tested.name);
    const Tensors found = graphs.speak(inputs_of(graphs.encoder, tested));
    EXPECT_TRUE(is_equal(found.at("durations"), tested.outputs.at("durations")));
    EXPECT_TRUE(is_equal(found.at("y_mask"), tested.outputs.at("y_mask")));
    EXPECT_TRUE(is_close(found.at("z"), masked(tested.outputs.at("z"), tested.outputs.at("y_mask")),
                         kLatentTolerance));
    ASSERT_EQ(found.contains("g"), tested.outputs.contains("g"));
    if (found.contains("g")) {
      EXPECT_TRUE(is_close(found.at("g"), tested.outputs.at("g"), kLatentTolerance));
    }
    EXPECT_TRUE(is_close(found.at("output"), tested.outputs.at("output"), kAudioTolerance));

    const Tensor whole =
        graphs.decoder.run(inputs_for(graphs.decoder.inputs(), tested)).at("output");
    EXPECT_TRUE(is_close(whole, tested.outputs.at("output"), kAudioTolerance));
    if (tested.inputs.at("z").shape[0] > 1) continue;  // whose rows end at different frames
    for (const std::int64_t frames : {1, 7, 45})
      EXPECT_TRUE(is_close(streamed(stream, tested, frames), whole, kStreamTolerance)) << frames;
  }
}

TEST_P(FamilyVoice, SpeaksInOneGraphAsItsAuthorsDo) {
  const OneGraph one(voice(), options());
  for (const Case& tested : voice().cases()) {
    SCOPED_TRACE(tested.name);
    const Tensors found = one.graph.run(inputs_of(one.graph, tested));
    EXPECT_TRUE(is_equal(found.at("durations"), tested.outputs.at("durations")));
    const Tensor& audio = tested.outputs.at("output");  // [b, 1, samples]
    const Tensor expected = tensor_of({audio.shape[0], 1, 1, audio.shape[2]}, to_float32(audio));
    EXPECT_TRUE(is_close(found.at("output"), expected, kAudioTolerance));
  }
}

// Of a voice whose speakers are vectors: a table of those in the file beside it, or an input.
TEST(CoquiVectors, AreAnInputWhereThatIsAskedFor) {
  NEEDS_RUNTIME();
  const auto found = std::ranges::find(family_voices(), "coqui-d-vectors", &TestVoice::name);
  ASSERT_NE(found, family_voices().end());
  ExportOptions options = found->options;
  options.d_vector_input = true;
  const TwoGraphs graphs(*found, options);
  for (const Case& tested : found->cases()) {
    SCOPED_TRACE(tested.name);
    const Tensors inputs = inputs_of(graphs.encoder, tested);
    EXPECT_TRUE(inputs.contains("d_vector"));
    EXPECT_FALSE(inputs.contains("sid"));
    const Tensors said = graphs.speak(inputs);
    EXPECT_TRUE(is_equal(said.at("durations"), tested.outputs.at("durations")));
    EXPECT_TRUE(is_close(said.at("g"), tested.outputs.at("g"), kLatentTolerance));
    EXPECT_TRUE(is_close(said.at("output"), tested.outputs.at("output"), kAudioTolerance));
  }
}

}  // namespace
}  // namespace voxport::families_test
