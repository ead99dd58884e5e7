// The sizes of a VITS, as Piper's trainer keeps them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/blocks/hifigan.h"
#include "arch/blocks/istft_generator.h"
#include "checkpoint/weights.h"

namespace voxport::vits {

struct TextEncoderConfig {
  std::int64_t symbols = 0;
  std::int64_t hidden_channels = 0;
  std::int64_t out_channels = 0;  // inter_channels
  std::int64_t filter_channels = 0;
  std::int64_t n_heads = 0;
  std::int64_t n_layers = 0;
  std::int64_t kernel_size = 0;
  std::int64_t window_size = 0;
  std::int64_t language_channels = 0;  // of the hidden ones, that tell the language
  bool shares_heads = true;            // one set of relative embeddings for all heads
  double norm_epsilon = 1e-5;

  std::int64_t embedded_channels() const { return hidden_channels - language_channels; }
  std::int64_t k_channels() const { return hidden_channels / n_heads; }
};

struct FlowConfig {
  std::int64_t channels = 0;
  std::int64_t hidden_channels = 0;
  std::int64_t kernel_size = 0;
  std::int64_t n_layers = 0;
  std::int64_t n_flows = 0;
  std::int64_t gin_channels = 0;
  std::int64_t dilation_rate = 1;  // layer i of the WaveNet is dilated by its i-th power
};

struct DurationConfig {
  bool is_stochastic = true;
  std::int64_t in_channels = 0;
  std::int64_t filter_channels = 0;
  std::int64_t kernel_size = 0;
  std::int64_t n_layers = 0;  // stochastic: of each DDSConv
  std::int64_t n_flows = 0;   // stochastic
  std::int64_t num_bins = 0;  // stochastic: of each spline
  std::int64_t gin_channels = 0;
  std::int64_t language_channels = 0;
  double norm_epsilon = 1e-5;  // plain
};

struct Config {
  TextEncoderConfig text_encoder;
  DurationConfig durations;
  FlowConfig flow;
  hifigan::Config decoder;
  std::optional<istft::Config> istft;  // of a decoder that ends in an inverse STFT
  std::int64_t speakers = 1;
  std::int64_t gin_channels = 0;   // 0: the network takes no speaker
  bool takes_d_vector = false;     // the speaker comes in as a vector, else by number
  std::int64_t languages = 0;      // 0: no embedding of languages
  std::int64_t interpolation = 1;  // steps of the decoder that a frame is stretched to
  std::int64_t sample_rate = 0;    // 0: not known

  bool has_speakers() const { return gin_channels > 0; }
  // Whether they are chosen by number.
  bool has_speaker_table() const { return !takes_d_vector && (speakers > 1 || has_speakers()); }
  bool has_languages() const { return languages > 0; }
  std::int64_t inter_channels() const { return text_encoder.out_channels; }
  // Samples of a frame.
  std::int64_t hop_length() const {
    return interpolation * decoder.hop_length() * (istft ? istft->stretch() : 1);
  }
};

// The names of hyper-parameters that read_config() looks at.
std::span<const std::string_view> hyper_parameter_names();

// The config of the weights, which are those of a VITS. Sizes are read off the tensors and compared
// with `hyper_parameters` (a dict, or None); what no shape tells (rates and dilations) is taken
// from there, or from the one trainer's preset that fits the shapes. Fails with kUnsupported,
// telling all contradictions at once, or what is missing by its name.
Config read_config(const Weights& w, const Object& hyper_parameters);

}  // namespace voxport::vits
