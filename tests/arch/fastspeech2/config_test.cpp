#include "arch/fastspeech2/config.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/config_file.h"
#include "tests/arch/made_up.h"
#include "tests/data.h"

namespace voxport::fastspeech2::config_test {
namespace {

constexpr char kConfig[] = R"(
transformer:
  encoder_layer: 2
  encoder_head: 2
  encoder_hidden: 32
  decoder_layer: 2
  decoder_head: 4
  decoder_hidden: 32
  conv_filter_size: 64
  conv_kernel_size: [9, 1]
multi_speaker: False
max_seq_len: 80
preprocessing:
  audio: {sampling_rate: 22050}
  stft: {hop_length: 256}
  pitch: {feature: phoneme_level}
  energy: {feature: frame_level}
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// The config of the small checkpoint by these settings; what was noted is left in `notes`.
struct Reading {
  std::vector<std::string> notes;
  Checkpoint checkpoint = open_checkpoint(data_folder() / "voices" / "fastspeech2.pth.tar");

  Config operator()(const std::string& yaml) {
    const Weights w(*find_state_dict(checkpoint.root).dict);
    return read_config(w, read_config_file(yaml), notes);
  }
};

std::string problems(const std::string& yaml) {
  return message_of([&] { Reading()(yaml); });
}

TEST(FastSpeech2Config, TakesSizesFromTensorsAndTheRestFromTheSettings) {
  Reading read;
  const Config config = read(kConfig);
  EXPECT_EQ(config.symbols, 361);
  EXPECT_EQ(config.speakers, 0);
  EXPECT_EQ(config.encoder.hidden, 32);
  EXPECT_EQ(config.encoder.heads, 2);
  EXPECT_EQ(config.decoder.heads, 4);
  EXPECT_EQ(config.decoder.layers, 2);
  EXPECT_EQ(config.encoder.kernel_1, 9);
  EXPECT_EQ(config.decoder.positions, 81);
  EXPECT_EQ(config.pitch.bins, 32);
  EXPECT_FALSE(config.pitch.is_frame_level);
  EXPECT_TRUE(config.energy.is_frame_level);
  EXPECT_EQ(config.mel_channels, 80);
  EXPECT_EQ(config.postnet_channels, 48);
  EXPECT_EQ(config.postnet_layers, 5);
  EXPECT_EQ(config.sampling_rate, 22050);
  EXPECT_EQ(read.notes, std::vector<std::string>());
}

TEST(FastSpeech2Config, NotesWhatItTakesForGranted) {
  Reading read;
  const Config config = read("transformer: {encoder_head: 2, decoder_head: 2}");
  EXPECT_FALSE(config.pitch.is_frame_level);
  EXPECT_EQ(config.sampling_rate, 0);
  ASSERT_EQ(read.notes.size(), 2U);
  EXPECT_EQ(read.notes[0],
            "nothing says whether pitch is given per phoneme or per frame; phoneme_level is "
            "assumed (preprocessing.pitch.feature=frame_level is the alternative)");
}

TEST(FastSpeech2Config, TakesNamesAsTheyAreGivenByHand) {
  Reading read;
  const Config config = read(cat("transformer.encoder_head: 8\n", kConfig));
  EXPECT_EQ(config.encoder.heads, 8);
}

TEST(FastSpeech2Config, TellsWhatIsMissing) {
  EXPECT_EQ(problems("dataset: x"),
            "the configs do not fit the checkpoint\n"
            "  'transformer.encoder_head' cannot be read from any tensor's shape; set the "
            "hyper-parameter, for example as 'transformer.encoder_head=2'\n"
            "  'transformer.decoder_head' cannot be read from any tensor's shape; set the "
            "hyper-parameter, for example as 'transformer.decoder_head=2'");
}

TEST(FastSpeech2Config, TellsAllContradictionsAtOnce) {
  std::string yaml = with(kConfig, "encoder_hidden: 32", "encoder_hidden: 256");
  yaml = with(yaml, "encoder_layer: 2", "encoder_layer: 4");
  yaml = with(yaml, "max_seq_len: 80", "max_seq_len: 1000");
  yaml = with(yaml, "[9, 1]", "[3, 1]");
  yaml = with(yaml, "multi_speaker: False", "multi_speaker: True");
  yaml = with(yaml, "decoder_head: 4", "decoder_head: 5");
  yaml = with(yaml, "phoneme_level", "word_level");
  EXPECT_EQ(problems(yaml + "variance_embedding: {n_bins: 256, pitch_quantization: square}\n"
                            "variance_predictor: {filter_size: wide}\n"),
            "the configs do not fit the checkpoint\n"
            "  hyper-parameter 'transformer.encoder_hidden' is 256, but the tensors have 32\n"
            "  hyper-parameter 'transformer.encoder_layer' is 4, but the tensors have 2\n"
            "  hyper-parameter 'max_seq_len' is 1000, but the tensors have 80\n"
            "  hyper-parameter 'transformer.conv_kernel_size' is [3, 1], but the tensors have "
            "[9, 1]\n"
            "  the 32 channels are not a multiple of 'transformer.decoder_head' (5)\n"
            "  hyper-parameter 'variance_predictor.filter_size' is a string, expected a whole "
            "number\n"
            "  hyper-parameter 'variance_embedding.n_bins' is 256, but the tensors have 32\n"
            "  hyper-parameter 'variance_embedding.pitch_quantization' is 'square', expected "
            "'linear' or 'log'\n"
            "  hyper-parameter 'preprocessing.pitch.feature' is 'word_level', expected "
            "'phoneme_level' or 'frame_level'\n"
            "  hyper-parameter 'multi_speaker' is True, but there is no tensor "
            "speaker_emb.weight");
}

TEST(FastSpeech2Config, TellsWhatIsNoFastSpeech2) {
  MadeUpWeights weights;
  weights.add_random("encoder.src_word_emb.weight", {3, 4});
  const Object dict = weights.dict();
  const Weights w(dict);
  std::vector<std::string> notes;
  const std::string message =
      message_of([&] { read_config(w, read_config_file("max_seq_len: 5"), notes); });
  EXPECT_NE(message.find("\n  there is no tensor encoder.position_enc\n"), std::string::npos);
  EXPECT_NE(message.find("\n  there is no tensor mel_linear.weight"), std::string::npos);
}

}  // namespace
}  // namespace voxport::fastspeech2::config_test
