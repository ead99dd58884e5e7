// What a voice streams is what it says at once, to the sample.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <voxport/speak.h>

#include "base/text.h"
#include "tests/needs_runtime.h"
#include "tests/spoken.h"
#include "tests/voices.h"

namespace voxport::speak_exact_test {
namespace {

namespace fs = std::filesystem;

// After rounding to 16 bits, samples are at most one step apart.
constexpr double kTolerance = 2e-6;

// One utterance of so many ids.
std::string ids_text(std::int64_t count) {
  std::string text;
  for (const std::int64_t id : phonemes(count, 5)) text += cat(id, " ");
  return text;
}

// Of the loudest sample; at least 1. Where no tanh ends a network, weights at random may be loud.
float loudness(const std::vector<float>& samples) {
  float loudest = 1;
  for (const float sample : samples) loudest = std::max(loudest, std::abs(sample));
  return loudest;
}

SpeakOptions ids_options() {
  SpeakOptions options;
  options.input = SpeakOptions::kIds;
  options.seed = 3;
  return options;
}

// The voice, exported once and loaded with each of its decoders.
class SpokenVoice : public testing::TestWithParam<TestVoice> {
 protected:
  void SetUp() override {
    NEEDS_RUNTIME();
    export_model(GetParam().checkpoint, folder_.path(), GetParam().options);
  }

  Voice load(VoiceOptions::Decoder decoder) const {
    VoiceOptions options;
    options.decoder = decoder;
    return Voice(folder_.path(), options);
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(All, SpokenVoice, testing::ValuesIn(recorded_voices()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Utterances of one frame to some thousand, in pieces of all sizes.
TEST_P(SpokenVoice, IsTheSameInPieces) {
  const Voice voice = load(VoiceOptions::kCached);
  SpeakOptions options = ids_options();
  for (const std::int64_t ids : {1, 2, 9, 40, 500}) {
    options.length_scale = ids == 1 ? 0.01 : 1;
    options.one_shot = true;
    const Spoken whole = all_of(voice.speak(ids_text(ids), options));
    ASSERT_EQ(whole.pieces, 1U);
    const std::int64_t frames = whole.sentences[0].frames;
    EXPECT_GE(frames, ids);
    EXPECT_EQ(frames == 1, ids == 1);
    options.one_shot = false;
    for (const std::int64_t chunk : {0, 1, 7, 22, 45, 90}) {
      if (chunk == 1 && frames > 400) continue;  // the same as 7, and slow
      options.chunk_frames = chunk;
      const Spoken spoken = all_of(voice.speak(ids_text(ids), options));
      EXPECT_LE(distance(spoken.samples, whole.samples), kTolerance)
          << ids << " ids, " << frames << " frames, " << chunk;
      EXPECT_TRUE(frames < 200 || spoken.pieces > 1);
    }
  }
}

// decoder.onnx with as much context as it needs.
TEST_P(SpokenVoice, IsTheSameWithContext) {
  const Voice voice = load(VoiceOptions::kContext);
  SpeakOptions options = ids_options();
  for (const std::int64_t ids : {1, 60}) {
    options.one_shot = true;
    const Spoken whole = all_of(voice.speak(ids_text(ids), options));
    options.one_shot = false;
    for (const std::int64_t chunk : {0, 7, 22, 45}) {
      options.chunk_frames = chunk;
      EXPECT_LE(distance(all_of(voice.speak(ids_text(ids), options)).samples, whole.samples),
                kTolerance)
          << ids << " ids, " << chunk;
    }
  }
}

// Both decoders are one network, whose sums they add up in other orders. With weights at random,
// --plain and what is written without it are that far apart, too.
TEST_P(SpokenVoice, IsTheSameWithEitherDecoder) {
  const SpeakOptions options = ids_options();
  const Spoken cached = all_of(load(VoiceOptions::kCached).speak(ids_text(60), options));
  const Spoken context = all_of(load(VoiceOptions::kContext).speak(ids_text(60), options));
  EXPECT_LE(distance(cached.samples, context.samples), 1e-5 * loudness(cached.samples));
}

TEST_P(SpokenVoice, LosesNothing) {
  const Voice voice = load(VoiceOptions::kBest);
  const std::int64_t hop = voice.info().hop_length;
  // A kernel that differs from its rate by an odd number leaves samples over.
  const std::string& name = GetParam().name;
  const std::int64_t left_over = name == "kernel-uneven"          ? 4
                                 : name == "mb-istft-mb-speakers" ? 8
                                                                  : 0;
  for (const std::int64_t ids : {1, 3, 20, 100}) {
    const Spoken spoken = all_of(voice.speak(ids_text(ids), ids_options()));
    EXPECT_EQ(static_cast<std::int64_t>(spoken.samples.size()),
              hop * spoken.sentences[0].frames + left_over);
  }
}

// To the bit, but for voices with an inverse STFT, of which ONNX Runtime gave samples that were
// 2.4e-7 apart in one of a hundred runs, with one thread, too.
TEST_P(SpokenVoice, RepeatsItself) {
  const Voice voice = load(VoiceOptions::kBest);
  SpeakOptions options = ids_options();
  const Samples once = all_of(voice.speak(ids_text(40), options)).samples;
  const double last_bit = GetParam().name.starts_with("mb-istft") ? 1e-6 * loudness(once) : 0;
  EXPECT_LE(distance(all_of(voice.speak(ids_text(40), options)).samples, once), last_bit);
  EXPECT_LE(distance(all_of(load(VoiceOptions::kBest).speak(ids_text(40), options)).samples, once),
            last_bit);
  options.seed = 4;
  EXPECT_NE(all_of(voice.speak(ids_text(40), options)).samples, once);
}

}  // namespace
}  // namespace voxport::speak_exact_test
