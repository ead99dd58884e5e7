// How long an utterance may be: what would take more memory than it may is refused before anything
// is allocated, and a text is divided.
#include <gtest/gtest.h>
#include <voxport/bench.h>
#include <voxport/error.h>
#include <voxport/speak.h>

#include "base/system_memory.h"
#include "base/text.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/spoken.h"
#include "tests/voices.h"
#include "voice/utterance_limit.h"

namespace voxport::speak_limit_test {
namespace {

namespace fs = std::filesystem;

std::string many_ids(std::size_t count) {
  std::string text = "1";
  for (std::size_t i = 1; i < count; ++i) text += cat(" ", 3 + i % 40);
  return text;
}

class SpeakLimit : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!runtime_trouble().empty()) return;
    folder_ = std::make_unique<TemporaryFolder>();
    ExportOptions options = voice_named("slt-x_low").options;
    options.check = false;
    export_model(voice_named("slt-x_low").checkpoint, *folder_ / "vits", options);
    export_model(voice_named("slt-x_low").checkpoint, *folder_ / "one.onnx", options);
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override { NEEDS_RUNTIME(); }

  static VoiceOptions with_memory(std::uint64_t bytes) {
    VoiceOptions options;
    options.max_memory = bytes;
    return options;
  }

  static SpeakOptions ids() {
    SpeakOptions options;
    options.input = SpeakOptions::kIds;
    return options;
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> SpeakLimit::folder_;

// Two heads, of which two tensors of float32 are held at once; the rest grows with the ids alone.
TEST_F(SpeakLimit, IsFoundByTheGraph) {
  const UtteranceLimit limit(*folder_ / "vits/encoder.onnx", 2ULL << 30, 4);
  EXPECT_NEAR(static_cast<double>(limit.bytes_of(10'000, 1)), 16.3e8, 0.1e8);
  EXPECT_NEAR(static_cast<double>(limit.bytes_of(20'000, 1)), 64.5e8, 0.2e8);
  EXPECT_NEAR(static_cast<double>(limit.most_ids(1)), 11'500, 30);
  EXPECT_TRUE(limit.allows(limit.most_ids(1), 1));
  EXPECT_FALSE(limit.allows(limit.most_ids(1) + 1, 1));
  const UtteranceLimit whole(*folder_ / "one.onnx", 2ULL << 30, 4);
  EXPECT_GT(whole.bytes_of(1'000, 1), 3 * limit.bytes_of(1'000, 1)) << "it has the decoder, too";
  EXPECT_GT(whole.bytes_of(1'000, 2), 1.8 * static_cast<double>(whole.bytes_of(1'000, 1)));
}

TEST_F(SpeakLimit, IsGuessedForAGraphThatCannotBeRead) {
  const UtteranceLimit limit(*folder_ / "nowhere.onnx", 2ULL << 30, 4);
  EXPECT_EQ(limit.bytes_of(10'000, 1), 2'400'000'000U);
  EXPECT_EQ(limit.bytes_of(std::size_t{1} << 40, 1), UINT64_MAX);
}

TEST_F(SpeakLimit, RefusesIdsBeforeAnythingIsAllocated) {
  const Voice voice(*folder_ / "vits", with_memory(100'000'000));
  const std::uint64_t before = peak_memory();
  Stream stream = voice.speak(many_ids(5) + "\n" + many_ids(20'000) + "\n", ids());
  const std::string message = message_of([&] {
    while (stream.next()) {
    }
  });
  EXPECT_EQ(message,
            "an utterance of 20,000 ids would take about 6.5 GB of memory, expected at most 100.0 "
            "MB, which is 2,416 ids; split it, or allow more memory\n"
            "  while reading line 2\n  while speaking");
  EXPECT_LT(peak_memory() - before, 50'000'000U);
  EXPECT_FALSE(all_of(voice.speak(many_ids(1'000), ids())).samples.empty());
}

// The estimate holds: no more than that, and half of it at least, is taken.
TEST_F(SpeakLimit, IsWhatARunTakes) {
  const UtteranceLimit limit(*folder_ / "vits/encoder.onnx", 2ULL << 30, 4);
  const Voice voice(*folder_ / "vits");
  all_of(voice.speak(many_ids(100), ids()));
  const std::uint64_t before = peak_memory();
  all_of(voice.speak(many_ids(4'000), ids()));
  const auto taken = static_cast<double>(peak_memory() - before);
  const auto expected = static_cast<double>(limit.bytes_of(4'000, 1));
  EXPECT_LT(taken, 1.5 * expected);
  EXPECT_TRUE(taken == 0 || taken > 0.3 * expected) << taken;  // 0: others took more before
}

// Many streams share a voice, and what each may take is not for all of them at once.
TEST_F(SpeakLimit, LetsLargeUtterancesRunOneAtATime) {
  const UtteranceLimit limit(*folder_ / "vits/encoder.onnx", 2ULL << 30, 4);
  constexpr std::size_t kMany = 4'000;
  EXPECT_TRUE(limit.is_large(kMany, 1));
  EXPECT_FALSE(limit.is_large(kMany / 4, 1));
  const Voice voice(*folder_ / "vits");
  const std::string text = many_ids(kMany);
  // ONNX Runtime keeps memory for the next run, which the second one adds to.
  for (int i = 0; i < 3; ++i) all_of(voice.speak(text, ids()));
  const std::uint64_t before = peak_memory();
  std::vector<Stream> streams;
  for (int i = 0; i < 3; ++i) streams.push_back(voice.speak(text, ids()));
  for (Stream& stream : streams) EXPECT_TRUE(stream.next());
  EXPECT_LT(peak_memory() - before, limit.bytes_of(kMany, 1) / 2);
}

TEST_F(SpeakLimit, HoldsForABench) {
  BenchOptions options;
  options.voice = with_memory(100'000'000);
  options.runs = 1;
  TemporaryFolder fastspeech2;
  const fs::path voices = data_folder() / "voices";
  ExportOptions exporting;
  exporting.check = false;
  exporting.vocoder = voices / "hifigan-resblock2.pth";
  exporting.vocoder_configs = {voices / "hifigan-resblock2.config.json"};
  exporting.configs = {voices / "fastspeech2-module.model.yaml",
                       voices / "fastspeech2-module.preprocess.yaml"};
  export_model(voices / "fastspeech2-module.pth.tar", fastspeech2.path(), exporting);
  options.text = "1 2 3\n" + [] {
    std::string text;
    for (int i = 0; i < 5'000; ++i) text += "1 ";
    return text;
  }();
  EXPECT_TRUE(message_of([&] {
                bench_voice(fastspeech2.path(), options);
              }).starts_with("an utterance of 5,000 ids would take about "));
}

// Durations are exponentials of noise: the same ids that pass at the usual noise_w may last
// hundreds of times as long.
TEST_F(SpeakLimit, KnowsHowFarDurationsStray) {
  const Voice voice(*folder_ / "vits", with_memory(100'000'000));
  SpeakOptions options = ids();
  options.noise_w = 1.5;
  EXPECT_FALSE(all_of(voice.speak(many_ids(1'000), options)).samples.empty());
  options.noise_w = 4;
  EXPECT_TRUE(message_of([&] {
                all_of(voice.speak(many_ids(1'000), options));
              }).starts_with("an utterance of 1,000 ids would take about "));
}

// A text that is too long for the limit is spoken all the same, and nothing of it is lost.
TEST_F(SpeakLimit, DividesText) {
  if (std::system("espeak-ng --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no espeak-ng";
  const Voice voice(*folder_ / "vits", with_memory(1'000'000));
  const std::string text =
      "one two three four five six seven eight nine ten, eleven twelve thirteen fourteen fifteen "
      "sixteen seventeen eighteen nineteen twenty and so on and on without an end";
  Stream stream = voice.speak(text);
  std::string said;
  std::vector<std::string> sentences;
  while (const std::optional<AudioPiece> piece = stream.next())
    if (piece->starts) sentences.push_back(piece->starts->text);
  ASSERT_GT(sentences.size(), 1U);
  for (const std::string& sentence : sentences) said += (said.empty() ? "" : " ") + sentence;
  EXPECT_EQ(said, text);
  EXPECT_TRUE(sentences[0].ends_with(" ten,")) << sentences[0];
  EXPECT_EQ(
      stream.notes(),
      (std::vector<std::string>{"a sentence that would use more memory than allowed was split"}));
  Stream whole = Voice(*folder_ / "vits").speak("One two three.");
  all_of(std::move(whole));
}

// Text without a full stop, a comma or a space.
TEST_F(SpeakLimit, SpeaksTextWithoutMarks) {
  if (std::system("espeak-ng --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no espeak-ng";
  const Voice voice(*folder_ / "vits", with_memory(500'000));
  std::string text;
  for (int i = 0; i < 80; ++i) text += "word ";
  EXPECT_GT(all_of(voice.speak(text)).sentences.size(), 3U);
  EXPECT_GT(all_of(voice.speak(std::string(250, '7'))).sentences.size(), 3U);
}

}  // namespace
}  // namespace voxport::speak_limit_test
