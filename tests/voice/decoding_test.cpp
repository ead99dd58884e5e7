#include "voice/decoding.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/voices.h"

namespace voxport::decoding_test {
namespace {

std::vector<float> decoded(const Decoder& decoder, const Latent& latent, std::int64_t chunk) {
  std::vector<float> all;
  const std::unique_ptr<Decoding> decoding = decoder.start(latent);
  while (decoding->frames_left() > 0) {
    const std::vector<float> samples = decoding->next(chunk);
    all.insert(all.end(), samples.begin(), samples.end());
  }
  return all;
}

// Which samples are no numbers.
std::vector<bool> lost_in(const std::vector<float>& samples) {
  std::vector<bool> lost;
  for (const float sample : samples) lost.push_back(std::isnan(sample));
  return lost;
}

// All but the trained one, which has the layers of `single`, and takes its time.
std::vector<TestVoice> small_voices() {
  std::vector<TestVoice> voices;
  for (const TestVoice& voice : recorded_voices())
    if (voice.name != "slt-x_low") voices.push_back(voice);
  return voices;
}

class DecodedWithContext : public testing::TestWithParam<TestVoice> {
 protected:
  void SetUp() override {
    NEEDS_RUNTIME();
    ExportOptions options = GetParam().options;
    options.plain = true;  // elsewhere zeros among the weights carry what is no number further
    graphs_.emplace(GetParam(), options);
    const auto& metadata = graphs_->decoder.metadata();
    const auto field = nlohmann::json::parse(metadata.at("voxport.receptive_field"));
    left_ = field["left"];
    right_ = field["right"];
    hop_ = std::stoll(metadata.at("voxport.hop_length"));
    latent_.z = with_a_frame_lost();
    const Rows ids = {phonemes(5, 1)};
    const Tensors encoded = graphs_->encoder.run(inputs_of(graphs_->encoder, ids, {0, 1, 0}));
    if (encoded.contains("g")) latent_.g = encoded.at("g");
  }

  // Noise, but for one frame in the middle of which no channel is a number: whatever depends on it
  // is none either, however little it weighs.
  Tensor with_a_frame_lost() const {
    const std::int64_t channels = *graphs_->decoder.inputs()[0].axes[1].size;
    std::vector<float> z = to_float32(noise_of({1, channels, kFrames}, 1));
    for (std::size_t i = kFrames / 2; i < z.size(); i += kFrames) z[i] = NAN;
    return tensor_of({1, channels, kFrames}, z);
  }

  std::vector<bool> lost(std::int64_t left, std::int64_t right, std::int64_t chunk) const {
    const ContextDecoder decoder(graphs_->decoder, kVitsPorts, left, right, hop_);
    return lost_in(decoded(decoder, latent_, chunk));
  }

  static constexpr std::int64_t kFrames = 120;
  std::optional<TwoGraphs> graphs_;
  std::int64_t left_ = 0, right_ = 0, hop_ = 0;
  Latent latent_;
};

INSTANTIATE_TEST_SUITE_P(All, DecodedWithContext, testing::ValuesIn(small_voices()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// The receptive field in the metadata is neither too small nor too large.
TEST_P(DecodedWithContext, DependsOnAllOfItAndOnNothingElse) {
  const std::vector<bool> whole = lost(left_, right_, kFrames);
  EXPECT_EQ(lost(left_, right_, 1), whole);
  EXPECT_NE(lost(left_ - 1, right_, 1), whole);
  EXPECT_NE(lost(left_, right_ - 1, 1), whole);
}

// However many frames are asked for, there are no more than there are.
TEST(Decoding, GivesAllThatIsLeft) {
  NEEDS_RUNTIME();
  const TwoGraphs graphs(voice_named("single"));
  const CachedDecoder cached(Session(graphs.folder / "decoder_stream.onnx"), kVitsPorts);
  const ContextDecoder context(graphs.decoder, kVitsPorts, 60, 60, 256);
  const std::int64_t channels = *graphs.decoder.inputs()[0].axes[1].size;
  const Latent latent{noise_of({1, channels, 30}, 1), std::nullopt};
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const Decoder* decoder :
       {static_cast<const Decoder*>(&cached), static_cast<const Decoder*>(&context)}) {
    const std::unique_ptr<Decoding> decoding = decoder->start(latent);
    const std::size_t first = decoding->next(1).size();
    const std::size_t rest = decoding->frames_left() > 0 ? decoding->next(kMost).size() : 0;
    EXPECT_EQ(first + rest, 30U * 256);
    EXPECT_EQ(decoding->frames_left(), 0);
    EXPECT_EQ(decoder->start(latent)->next(kMost).size(), 30U * 256);
  }
}

// As older versions exported it: each layer has a state of its own.
TEST(Decoding, SpeaksGraphsOfManyStates) {
  NEEDS_RUNTIME();
  const TwoGraphs graphs(voice_named("small-flow"));
  const CachedDecoder one(Session(graphs.folder / "decoder_stream.onnx"), kVitsPorts);
  const CachedDecoder many(Session(data_folder() / "onnx/stream-of-many-states.onnx"), kVitsPorts);
  const auto channels = [&](const char* port) {
    return *find_port(graphs.decoder.inputs(), port)->axes[1].size;
  };
  const Latent latent{noise_of({1, channels("z"), 90}, 1), noise_of({1, channels("g"), 1}, 2)};
  EXPECT_EQ(decoded(many, latent, 7), decoded(one, latent, 7));
}

}  // namespace
}  // namespace voxport::decoding_test
