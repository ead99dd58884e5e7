// A FastSpeech2 and its HiFi-GAN speak: what PyTorch says, streamed as at once.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <voxport/export.h>
#include <voxport/speak.h>

#include "base/tensor_math.h"
#include "base/text.h"
#include "tests/data.h"
#include "tests/needs_runtime.h"
#include "tests/spoken.h"
#include "tests/voices.h"

namespace voxport::speak_fastspeech2_test {
namespace {

namespace fs = std::filesystem;

// After rounding to 16 bits, samples are at most one step apart.
constexpr double kTolerance = 2e-6;
// Both vocoders are one network, whose sums they add up in other orders, with weights at random.
constexpr double kOtherVocoderTolerance = 1e-5;
// Mels of two programs, 1e-4 apart, through some thirty layers of random weights.
constexpr double kAudioTolerance = 1e-4;

fs::path file(const std::string& name) { return data_folder() / "voices" / name; }

struct Networks {
  std::string acoustic, vocoder;
  std::int64_t hop = 0;
  std::int64_t left_over = 0;  // samples, of kernels that differ from their rate by an odd number
};

void PrintTo(const Networks& networks, std::ostream* out) {
  *out << networks.acoustic << " " << networks.vocoder;
}

ExportOptions options_for(const Networks& networks) {
  ExportOptions options;
  options.check = false;  // tests run the graphs themselves
  options.configs = {file(networks.acoustic + ".model.yaml"),
                     file(networks.acoustic + ".preprocess.yaml")};
  options.vocoder = file(networks.vocoder + ".pth");
  options.vocoder_configs = {file(networks.vocoder + ".config.json")};
  options.hyper_parameters = {{"preprocessing.stft.hop_length", cat(networks.hop)}};
  options.duration_control = DurationControl::kTruncated;  // as the reference has it
  return options;
}

void export_to(const fs::path& folder, const Networks& networks, const ExportOptions& options) {
  export_model(file(networks.acoustic + ".pth.tar"), folder, options);
}

std::string text_of(const std::vector<std::int64_t>& ids) {
  std::string text;
  for (const std::int64_t id : ids) text += cat(id, " ");
  return text;
}

std::vector<std::int64_t> some_ids(std::int64_t count) {
  constexpr std::int64_t kFewestSymbols = 20;
  std::vector<std::int64_t> ids = phonemes(count, 5);
  for (std::int64_t& id : ids) id = 1 + id % (kFewestSymbols - 1);
  return ids;
}

// One utterance of so many ids.
std::string ids_text(std::int64_t count) { return text_of(some_ids(count)); }

SpeakOptions ids_options() {
  SpeakOptions options;
  options.input = SpeakOptions::kIds;
  return options;
}

Voice load(const fs::path& folder, VoiceOptions::Decoder decoder = VoiceOptions::kBest) {
  VoiceOptions options;
  options.decoder = decoder;
  return Voice(folder, options);
}

const Networks kPlain = {"fastspeech2", "hifigan-v1", 256};
const Networks kSpeakers = {"fastspeech2-module", "hifigan-resblock2", 15};

class SpokenFastSpeech2 : public testing::TestWithParam<Networks> {
 protected:
  void SetUp() override {
    NEEDS_RUNTIME();
    export_to(folder_.path(), GetParam(), options_for(GetParam()));
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(
    All, SpokenFastSpeech2,
    testing::Values(kPlain, Networks{"fastspeech2-speakers-frame-level", "hifigan-v1", 256},
                    Networks{"fastspeech2-log-mixed", "hifigan-resblock2", 15}, kSpeakers,
                    Networks{"fastspeech2-half", "hifigan-odd", 24, 6}),
    [](const auto& test) {
      std::string name = test.param.acoustic;
      std::ranges::replace(name, '-', '_');
      return name;
    });

// What vocoder.onnx makes of the whole mel, in one run.
TEST_P(SpokenFastSpeech2, IsInPiecesWhatTheVocoderGivesAtOnce) {
  const Session acoustic(folder_ / "acoustic.onnx");
  const Session vocoder(folder_ / "vocoder.onnx");
  const Voice cached = load(folder_.path(), VoiceOptions::kCached);
  const Voice context = load(folder_.path(), VoiceOptions::kContext);
  for (const std::int64_t count : {1, 2, 9, 150}) {
    const std::vector<std::int64_t> ids = some_ids(count);
    Tensors inputs = {{"input_tokens", int64_tensor({1, count}, ids)},
                      {"input_lengths", int64_tensor({1}, {count})},
                      {"controls", tensor_of({3}, {1, 1, 1})}};
    if (acoustic.inputs().size() > 3) inputs["speaker"] = int64_tensor({1}, {0});
    const Tensor mel = permuted(acoustic.run(inputs).at("output_mel"), {0, 2, 1});
    const Samples whole = to_float32(vocoder.run({{"mel", mel}}).at("audio"));
    SpeakOptions options = ids_options();
    options.one_shot = true;
    const Samples cached_whole = all_of(cached.speak(text_of(ids), options)).samples;
    EXPECT_LE(distance(cached_whole, whole), kOtherVocoderTolerance) << count;
    EXPECT_LE(distance(all_of(context.speak(text_of(ids), options)).samples, whole), kTolerance);
    options.one_shot = false;
    for (const std::int64_t chunk : {0, 1, 7, 22, 45, 100'000}) {
      if (chunk == 1 && mel.shape[2] > 400) continue;  // the same as 7, and slow
      SCOPED_TRACE(cat(count, " ids in pieces of ", chunk));
      options.chunk_frames = chunk;
      const Spoken spoken = all_of(cached.speak(text_of(ids), options));
      EXPECT_LE(distance(spoken.samples, cached_whole), kTolerance);
      EXPECT_EQ(spoken.sentences.at(0).frames, mel.shape[2]);
      EXPECT_TRUE(chunk != 7 || count != 150 || spoken.pieces > 10) << spoken.pieces;
      EXPECT_LE(distance(all_of(context.speak(text_of(ids), options)).samples, whole), kTolerance);
    }
  }
}

TEST_P(SpokenFastSpeech2, LosesNothing) {
  const Voice voice = load(folder_.path());
  EXPECT_EQ(voice.info().hop_length, GetParam().hop);
  EXPECT_EQ(voice.info().sample_rate, 22050);
  for (const std::int64_t ids : {1, 3, 20, 100}) {
    const Spoken spoken = all_of(voice.speak(ids_text(ids), ids_options()));
    EXPECT_EQ(static_cast<std::int64_t>(spoken.samples.size()),
              GetParam().hop * spoken.sentences[0].frames + GetParam().left_over);
  }
}

// The rows that PyTorch was given alone: as many frames for each of their tokens, and the audio of
// the mel that it gave.
TEST_P(SpokenFastSpeech2, SaysWhatPyTorchSays) {
  const Voice voice = load(folder_.path());
  const Session vocoder(folder_ / "vocoder.onnx");
  int rows = 0;
  for (const Case& tested : read_cases(file(GetParam().acoustic + ".cases.safetensors"))) {
    if (tested.name == "own" || tested.inputs.at("input_tokens").shape[0] != 1) continue;
    SCOPED_TRACE(tested.name);
    const std::vector<float> controls = to_float32(tested.inputs.at("controls"));
    SpeakOptions options = ids_options();
    options.pitch = controls[0];
    options.length_scale = controls[2];
    if (tested.inputs.contains("speaker"))
      options.speaker = cat(int64_values(tested.inputs.at("speaker"))[0]);
    const Spoken spoken =
        all_of(voice.speak(text_of(int64_values(tested.inputs.at("input_tokens"))), options));
    const Tensor mel = permuted(tested.outputs.at("output_mel"), {0, 2, 1});
    EXPECT_EQ(spoken.sentences.at(0).frames, mel.shape[2]);
    EXPECT_LE(distance(spoken.samples, to_float32(vocoder.run({{"mel", mel}}).at("audio"))),
              kAudioTolerance);
    const std::vector<float> durations = to_float32(tested.outputs.at("durations"));
    ASSERT_EQ(spoken.sentences[0].phonemes.size(), durations.size());
    double end = 0;
    for (std::size_t i = 0; i < durations.size(); ++i) {
      end += std::trunc(durations[i]) * static_cast<double>(GetParam().hop) / 22050;
      EXPECT_NEAR(spoken.sentences[0].phonemes[i].end, end, 1e-9);
    }
    EXPECT_NEAR(spoken.sentences[0].end, end, 1e-9);
    ++rows;
  }
  EXPECT_GE(rows, 3);
}

class FastSpeech2Voice : public testing::Test {
 protected:
  void SetUp() override { NEEDS_RUNTIME(); }

  Voice voice(const Networks& networks, const ExportOptions& options) {
    export_to(folder_.path(), networks, options);
    return load(folder_.path());
  }
  Voice voice(const Networks& networks) { return voice(networks, options_for(networks)); }

  static std::string refusal(const Voice& voice, const SpeakOptions& options,
                             const std::string& text = ids_text(3)) {
    return message_of([&] { all_of(voice.speak(text, options)); });
  }

  TemporaryFolder folder_;
};

TEST_F(FastSpeech2Voice, RepeatsItselfWhateverTheSeed) {
  const Voice voice = this->voice(kSpeakers);
  EXPECT_TRUE(voice.info().is_repeatable);
  SpeakOptions options = ids_options();
  const Samples once = all_of(voice.speak(ids_text(20), options)).samples;
  options.seed = 7;
  EXPECT_EQ(all_of(voice.speak(ids_text(20), options)).samples, once);
}

TEST_F(FastSpeech2Voice, HeedsItsControlsAndSpeakers) {
  ExportOptions exporting = options_for(kSpeakers);
  exporting.own_energy_control = true;
  const Voice voice = this->voice(kSpeakers, exporting);
  EXPECT_EQ(voice.info().num_speakers, 4);
  const auto said = [&](const SpeakOptions& options) {
    return all_of(voice.speak(ids_text(20), options));
  };
  const Spoken plain = said(ids_options());
  SpeakOptions options = ids_options();
  options.pitch = 3;
  EXPECT_NE(said(options).samples, plain.samples);
  options = ids_options();
  options.energy = 3;
  EXPECT_NE(said(options).samples, plain.samples);
  options = ids_options();
  options.length_scale = 2;
  EXPECT_EQ(said(options).sentences[0].frames, 2 * plain.sentences[0].frames);
  options = ids_options();
  options.speaker = "3";
  EXPECT_NE(said(options).samples, plain.samples);
  options.speaker = "4";
  EXPECT_EQ(refusal(voice, options), "there is no speaker '4'; the voice has 4, from 0 to 3");
}

TEST_F(FastSpeech2Voice, RefusesWhatItDoesNotHave) {
  const Voice voice = this->voice(kPlain);
  SpeakOptions options = ids_options();
  options.noise_scale = 0.5;
  EXPECT_EQ(refusal(voice, options), "this voice has no noise scale to choose");
  options = ids_options();
  options.noise_w = 0.5;
  EXPECT_EQ(refusal(voice, options), "this voice has no noise_w to choose");
  options = ids_options();
  options.energy = 1.5;
  EXPECT_EQ(refusal(voice, options),
            "in this voice energy is scaled by the pitch control; it has a control of its own only "
            "when exported with one");
  options = ids_options();
  options.pitch = -1;
  EXPECT_EQ(refusal(voice, options), "the pitch control is -1, expected a number from 0 to 100");
  EXPECT_EQ(refusal(voice, ids_options(), "5 361"),
            "line 1, column 3: found '361', expected a phoneme id, 0 to 360\n  while speaking");
}

TEST_F(FastSpeech2Voice, TakesIdsAloneWhereNobodySaysWhatTheyStandFor) {
  const Voice voice = this->voice(kSpeakers);
  EXPECT_FALSE(voice.info().takes_phonemes || voice.info().takes_text);
  EXPECT_EQ(refusal(voice, SpeakOptions(), "Hello."),
            "this voice takes no text, for a FastSpeech2 checkpoint does not record which symbols "
            "its ids stand for; it takes phoneme ids");
}

SpeakOptions phonemes_options() {
  SpeakOptions options;
  options.input = SpeakOptions::kPhonemes;
  return options;
}

// Ids that the trainer's text_to_sequence gave.
TEST_F(FastSpeech2Voice, OfMing024sSizeTakesItsPhonemesInBraces) {
  const Voice voice = this->voice(kPlain);
  EXPECT_TRUE(voice.info().takes_phonemes && voice.info().takes_text);
  const std::pair<const char*, const char*> rows[] = {
      {"{HH AH0 L OW1}", "106 73 117 123"},
      {"{HH AH0 L OW1 sp W ER1 L D}", "106 73 117 123 357 144 98 117 90"},
      {"{HH AH0 L OW1}, {W ER1 L D}!", "106 73 117 123 6 11 144 98 117 90 2"},
      {"{sp} Ha-ha {n i3 h ao3 rr zh vn5 sil spn AA ZH}",
       "357 11 45 38 1 45 38 11 159 223 154 193 356 170 355 359 358 64 147"},
  };
  for (const auto& [phonemes, ids] : rows)
    EXPECT_EQ(all_of(voice.speak(phonemes, phonemes_options())).samples,
              all_of(voice.speak(ids, ids_options())).samples)
        << phonemes;
  EXPECT_EQ(refusal(voice, phonemes_options(), "{HH AX0}"),
            "the voice does not know the phoneme '{AX0}' in '{HH AX0}'\n  while speaking");
}

TEST_F(FastSpeech2Voice, OfMing024sSizeSpeaksText) {
  if (std::system("command -v espeak-ng >/dev/null") != 0) GTEST_SKIP() << "no espeak-ng";
  const Voice voice = this->voice(kPlain);
  EXPECT_EQ(all_of(voice.speak("Hello, world.")).samples,
            all_of(voice.speak("{HH AH0 L OW1 sp W ER1 L D}", phonemes_options())).samples);
  EXPECT_TRUE(refusal(voice, SpeakOptions(), "The music of Bach.")
                  .starts_with("espeak-ng gives the phoneme 'x', in 'bˈɑːx', which has no "
                               "counterpart in ARPAbet; "));
}

TEST_F(FastSpeech2Voice, OfMing024sSizeTakesPinyinWhereItsTextsAreMandarin) {
  ExportOptions exporting = options_for(kPlain);
  exporting.hyper_parameters.emplace_back("preprocessing.text.language", "zh");
  const Voice voice = this->voice(kPlain, exporting);
  EXPECT_TRUE(voice.info().takes_phonemes);
  EXPECT_FALSE(voice.info().takes_text);
  EXPECT_EQ(all_of(voice.speak("{n i3 h ao3}", phonemes_options())).samples,
            all_of(voice.speak("159 223 154 193", ids_options())).samples);
  EXPECT_TRUE(refusal(voice, SpeakOptions(), "Hello.")
                  .starts_with("the voice speaks phonemes of the type 'pinyin-in-braces', but "));
}

TEST_F(FastSpeech2Voice, OfVitsHasNoControls) {
  export_model(voice_named("single").checkpoint, folder_.path(), voice_named("single").options);
  const Voice voice = load(folder_.path());
  SpeakOptions options = ids_options();
  options.pitch = 1.5;
  EXPECT_EQ(refusal(voice, options), "this voice has no pitch control to choose");
  options = ids_options();
  options.energy = 1.5;
  EXPECT_EQ(refusal(voice, options), "this voice has no energy control to choose");
}

TEST_F(FastSpeech2Voice, HasNothingToSayWhereNothingLasts) {
  const Voice voice = this->voice(kSpeakers);
  SpeakOptions options = ids_options();
  options.length_scale = 0.01;
  options.sentence_silence = 0.5;
  const Spoken spoken = all_of(voice.speak(ids_text(3) + "\n" + ids_text(2), options));
  EXPECT_EQ(spoken.sentences.size(), 2U);
  EXPECT_EQ(spoken.sentences[1].frames, 0);
  EXPECT_EQ(spoken.samples, Samples(22050, 0.0F)) << "the silence after each";
}

// Where nobody says how, a folder that speaks keeps what lasts.
TEST_F(FastSpeech2Voice, KeepsShortTokensUnlessTheReferencesWayIsWanted) {
  ExportOptions exporting = options_for(kSpeakers);
  SpeakOptions options = ids_options();
  const auto frames = [&](const Voice& voice, double length_scale) {
    options.length_scale = length_scale;
    return all_of(voice.speak(ids_text(20), options)).sentences.at(0).frames;
  };
  const Voice reference = this->voice(kSpeakers, exporting);
  EXPECT_EQ(frames(reference, 0.01), 0);
  exporting.duration_control = DurationControl::kBest;
  const Voice best = this->voice(kSpeakers, exporting);
  EXPECT_EQ(nlohmann::json::parse(contents(folder_ / "voice.json"))["duration_control"], "rounded");
  EXPECT_EQ(frames(best, 1), frames(reference, 1));
  EXPECT_GE(frames(best, 0.01), 10);
}

TEST_F(FastSpeech2Voice, SpeaksWithTheVocoderThatIsThere) {
  export_to(folder_.path(), kSpeakers, options_for(kSpeakers));
  const Samples cached = all_of(load(folder_.path()).speak(ids_text(20), ids_options())).samples;
  fs::remove(folder_ / "vocoder_stream.onnx");
  const Voice voice = load(folder_.path());
  EXPECT_EQ(voice.info().decoder, "vocoder.onnx");
  EXPECT_TRUE(voice.info().streams);
  EXPECT_LE(distance(all_of(voice.speak(ids_text(20), ids_options())).samples, cached), kTolerance);
  EXPECT_TRUE(message_of([&] {
                load(folder_.path(), VoiceOptions::kCached);
              }).starts_with("there is no vocoder_stream.onnx beside '"));
}

// Where preprocess.yaml was not at hand, the vocoder tells what a frame is.
TEST_F(FastSpeech2Voice, TakesTheHopOfAVocoderThatCameLater) {
  ExportOptions options = options_for(kSpeakers);
  options.configs = {file("fastspeech2-module.model.yaml")};
  options.hyper_parameters.clear();
  options.vocoder.clear();
  options.vocoder_configs.clear();
  export_to(folder_.path(), kSpeakers, options);
  options.configs = {file("hifigan-resblock2.config.json")};
  options.duration_control = DurationControl::kBest;
  export_model(file("hifigan-resblock2.pth"), folder_.path(), options);
  EXPECT_TRUE(message_of([&] {
                load(folder_.path());
              }).starts_with("the voice's config has 0 as /audio/sample_rate, "));
  auto config = nlohmann::json::parse(contents(folder_ / "voice.json"));
  config["audio"]["sample_rate"] = 22050;
  write_file(folder_ / "voice.json", config.dump());
  EXPECT_EQ(load(folder_.path()).info().hop_length, 15);
  config["hop_length"] = 0;
  write_file(folder_ / "voice.json", config.dump());
  EXPECT_TRUE(message_of([&] { load(folder_.path()); })
                  .starts_with("the voice's config has 0 as /hop_length, expected samples of a "
                               "frame\n"));
}

TEST_F(FastSpeech2Voice, NeedsAVocoder) {
  ExportOptions options = options_for(kPlain);
  options.vocoder.clear();
  options.vocoder_configs.clear();
  export_to(folder_.path(), kPlain, options);
  const std::string folder = folder_.path().native();
  EXPECT_EQ(message_of([&] { load(folder_.path()); }),
            cat("'", folder,
                "' is not a complete voice: expected it to contain acoustic.onnx, vocoder.onnx or "
                "vocoder_stream.onnx, and voice.json, as `voxport export FASTSPEECH2 OUT "
                "--vocoder HIFIGAN` writes them to OUT\n  while loading the voice '",
                folder, "'"));
}

TEST_F(FastSpeech2Voice, RefusesAVocoderThatDoesNotFit) {
  export_to(folder_.path(), kPlain, options_for(kPlain));
  const TemporaryFolder other;
  export_to(other.path(), kSpeakers, options_for(kSpeakers));
  fs::copy(other / "vocoder_stream.onnx", folder_ / "vocoder_stream.onnx",
           fs::copy_options::overwrite_existing);
  EXPECT_TRUE(message_of([&] { load(folder_.path()); })
                  .starts_with("'vocoder_stream.onnx' does not fit 'acoustic.onnx'\n"
                               "  the voice has mel channels 80, the vocoder 20\n"
                               "  the voice has the hop 256, the vocoder 15\n"));
}

TEST_F(FastSpeech2Voice, IsNotGuessedWhereThereAreTwo) {
  export_to(folder_.path(), kSpeakers, options_for(kSpeakers));
  export_model(voice_named("single").checkpoint, folder_.path(), voice_named("single").options);
  EXPECT_TRUE(message_of([&] { load(folder_.path()); })
                  .starts_with(cat("'", folder_.path().native(),
                                   "' has both encoder.onnx and acoustic.onnx, which are two "
                                   "voices: give each its own folder\n")));
}

}  // namespace
}  // namespace voxport::speak_fastspeech2_test
