// The sizes of a FastSpeech2, as ming024's trainer keeps them in model.yaml and preprocess.yaml.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "arch/blocks/settings.h"

namespace voxport::fastspeech2 {

// Encoder or decoder: a stack of feed-forward transformer blocks.
struct TransformerConfig {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t hidden = 0;
  std::int64_t filter_size = 0;  // conv_filter_size
  std::int64_t kernel_1 = 0;     // conv_kernel_size
  std::int64_t kernel_2 = 0;
  std::int64_t positions = 0;  // rows of the table: max_seq_len + 1
};

// Pitch or energy.
struct VarianceConfig {
  bool is_frame_level = false;  // else phoneme_level
  std::int64_t bins = 0;        // n_bins: rows of the embedding, one more than there are bounds
};

// The second convolution of the reference's predictors is padded for this kernel, whatever the
// kernel: it runs with no other.
constexpr std::int64_t kPredictorKernel = 3;

struct Config {
  std::int64_t symbols = 0;
  std::int64_t speakers = 0;  // 0: no embedding of speakers
  TransformerConfig encoder, decoder;
  std::int64_t predictor_filter_size = 0;
  VarianceConfig pitch, energy;
  std::int64_t mel_channels = 0;
  std::int64_t postnet_channels = 0;
  std::int64_t postnet_kernel = 0;
  std::int64_t postnet_layers = 0;
  std::int64_t sampling_rate = 0;  // 0: not known
  std::int64_t hop_length = 0;     // 0: not known
  std::string language = {};       // of its texts: "en", "zh"; empty: not known
};

// The names of settings that read_config() looks at.
std::span<const std::string_view> setting_names();

// The config of the weights, which are those of a FastSpeech2. Sizes are read off the tensors and
// must agree with the settings where those are given; what no tensor tells (heads, the level of
// pitch and energy) is taken from there. `notes` is told what was taken for granted. Fails with
// kUnsupported, telling all contradictions at once, and what is missing by its name.
Config read_config(const Weights& w, const Object& settings, std::vector<std::string>& notes);

}  // namespace voxport::fastspeech2
