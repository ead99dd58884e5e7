// The decoder for pieces gives what the decoder gives at once.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/fail.h"
#include "base/tensor_math.h"
#include "tests/needs_runtime.h"
#include "tests/pieces.h"
#include "tests/voices.h"

namespace voxport::stream_test {
namespace {

// After rounding to 16 bits, samples are at most one step apart.
constexpr double kTolerance = 2e-6;
// Between two graphs of one network, which add up in other orders: with weights at random, --plain
// and what is written without it are that far apart, too.
constexpr double kTwoGraphs = 1e-5;

using Widths = std::vector<std::int64_t>;

class StreamDecoder : public testing::TestWithParam<TestVoice> {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }
};

INSTANTIATE_TEST_SUITE_P(All, StreamDecoder, testing::ValuesIn(recorded_voices()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// What the decoder is given for `rows` of `frames` of noise, by the voice's own speakers.
Tensors inputs_for(const TwoGraphs& graphs, std::int64_t rows, std::int64_t frames) {
  const Rows ids(static_cast<std::size_t>(rows), phonemes(5, 1));
  const Tensors encoded = graphs.encoder.run(inputs_of(graphs.encoder, ids, {0, 1, 0}));
  const std::int64_t channels = *graphs.decoder.inputs()[0].axes[1].size;
  const std::vector<float> ones(static_cast<std::size_t>(rows * frames), 1.0F);
  Tensors inputs = {{"z", noise_of({rows, channels, frames}, 1)},
                    {"y_mask", tensor_of({rows, 1, frames}, ones)}};
  if (encoded.contains("g")) inputs.emplace("g", encoded.at("g"));
  return inputs;
}

Tensor in_pieces(const Session& stream, Tensors inputs, const Widths& widths) {
  const Tensor z = inputs.at("z");
  inputs.erase("z");
  inputs.erase("y_mask");
  return output_in_pieces(stream, "z", z, widths, inputs);
}

TEST_P(StreamDecoder, GivesWhatTheDecoderGivesAtOnce) {
  for (const bool is_cut_after_flow : {false, true}) {
    ExportOptions options = GetParam().options;
    options.cut_after_flow = is_cut_after_flow;
    const TwoGraphs graphs(GetParam(), options);
    const Session stream(graphs.folder / "decoder_stream.onnx");
    const std::int64_t first = std::stoll(stream.metadata().at("voxport.first_frames"));
    for (const std::int64_t frames : {std::int64_t{1}, std::int64_t{7}, first + 60}) {
      const Tensors inputs = inputs_for(graphs, 2, frames);
      const Tensor whole = in_pieces(stream, inputs, {});
      EXPECT_TRUE(is_close(whole, graphs.decoder.run(inputs).at("output"), kTwoGraphs));
      if (frames < first) continue;
      for (const Widths& widths :
           {Widths{first}, Widths{first, 1, 1, 7, 1}, Widths{first + 21, 22}})
        EXPECT_TRUE(is_close(in_pieces(stream, inputs, widths), whole, kTolerance));
    }
  }
}

TEST_P(StreamDecoder, TellsHowLongTheFirstPieceIs) {
  const TwoGraphs graphs(GetParam());
  const Session stream(graphs.folder / "decoder_stream.onnx");
  const std::int64_t first = std::stoll(stream.metadata().at("voxport.first_frames"));
  EXPECT_THROW(in_pieces(stream, inputs_for(graphs, 1, first + 60), {first - 1}), Error);
}

}  // namespace
}  // namespace voxport::stream_test
