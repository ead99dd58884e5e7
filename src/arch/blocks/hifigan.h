// The generator of HiFi-GAN, which is also the decoder of VITS: from latent frames to samples.
// Kong, Kim and Bae, "HiFi-GAN" (2020). hifi-gan/models.py, Generator.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/blocks/caches.h"
#include "arch/blocks/layers.h"
#include "arch/blocks/tiling.h"
#include "graph/model_metadata.h"

namespace voxport::hifigan {

struct Config {
  std::int64_t in_channels = 0;
  std::int64_t upsample_initial_channel = 0;
  std::vector<std::int64_t> upsample_rates;
  std::vector<std::int64_t> upsample_kernel_sizes;
  bool is_resblock1 = false;  // else "2"
  std::vector<std::int64_t> resblock_kernel_sizes;
  std::vector<std::vector<std::int64_t>> resblock_dilation_sizes;
  std::int64_t gin_channels = 0;  // 0: not conditioned on a speaker

  std::int64_t num_kernels() const {
    return static_cast<std::int64_t>(resblock_kernel_sizes.size());
  }
  // Channels after stage i.
  std::int64_t channels(std::size_t stage) const { return upsample_initial_channel >> (stage + 1); }
  std::int64_t hop_length() const;
  // Whether t frames are exactly hop_length * t samples: a kernel that differs from its rate by an
  // odd number leaves a sample over.
  bool is_exact() const;
};

// How the same network is said. All ways give the same numbers up to rounding.
struct Form {
  // Convolutions along one row of a picture: [b, c, 1, t].
  bool has_rows = true;
  // Upsampling by a convolution with `rate` times the channels, in place of a transposed one.
  bool upsamples_by_convolution = true;
  // Where channels get few, time is cut into this many overlapping rows, which a runtime works on
  // side by side; 1 for none.
  std::int64_t tiles = 2;
  // Activations ride on convolutions that change nothing: ONNX Runtime keeps what lies between
  // convolutions in blocks of channels, and would leave them for an activation alone.
  bool keeps_blocks = true;
  // The last convolution makes this many samples at once, as so many channels; 1 for none.
  std::int64_t phases = 16;

  static Form plain() { return {false, false, 1, false, 1}; }
};

// A transposed convolution that stretches time by `rate`.
struct Upsampling {
  std::string path;
  Tensor weight;  // [in, out, kernel]
  Tensor bias;
  std::int64_t rate;
  std::int64_t padding;

  Upsampling(const Weights& w, std::int64_t in, std::int64_t out, std::int64_t rate,
             std::int64_t kernel);

  // `gain` is multiplied into the weights. Caches may be null.
  Value operator()(const Value& x, double gain, const Form& form, Caches* caches) const;

 private:
  Value by_transposed_convolution(const Value& x, double gain) const;
  Value by_convolution(const Value& x, double gain, Caches* caches) const;
};

// ResBlock1: pairs of a dilated and an undilated convolution. ResBlock2: dilated ones alone.
struct ResBlock {
  std::vector<std::vector<Conv1d>> steps;  // each is added to what went into it

  ResBlock(const Weights& w, std::int64_t channels, std::int64_t kernel,
           const std::vector<std::int64_t>& dilations, bool is_resblock1);

  // Caches may be null.
  Value operator()(Value x, const Form& form, Caches* caches) const;

  // Steps that it looks ahead.
  std::int64_t look_ahead() const;
};

struct Generator {
  Config config;
  Conv1d conv_pre;
  std::optional<Conv1d> cond;
  std::vector<Upsampling> ups;
  std::vector<std::vector<ResBlock>> resblocks;  // by stage
  Conv1d conv_post;

  Generator(const Weights& w, const Config& config);

  // x [b, in_channels, t], or [b, in_channels, 1, t] where the form has rows; g [b, gin_channels,
  // 1]
  // -> [b, 1, hop_length * t]
  // With caches, x is a piece of a sequence, and so are the samples.
  Value operator()(Value x, std::optional<Value> g, const Form& form,
                   Caches* caches = nullptr) const;

 private:
  Value stage(const Value& x, std::size_t i, const Form& form, Caches* caches) const;
  // Stages from `first` on, and all that follows.
  Value samples_from(std::size_t first, const Value& x, const Form& form) const;
  // The samples as rows, one for each tile: [b, tiles, t].
  Value rows(std::size_t first, Value x, std::optional<Tiling>& tiling, const Form& form) const;
  Tiling tiling_before(std::size_t stage, const Value& x, const Form& form) const;
  Value sum_of_resblocks(const Value& x, std::size_t stage, const Form& form, Caches* caches) const;
  Value last(const Value& x, const Form& form) const;
  // What the sum of the residual blocks before stage i still has to be multiplied by.
  double gain_before(std::size_t i) const;
  bool has_phases(const Form& form) const;
};

// In frames, of all samples of a frame together.
ReceptiveField receptive_field(const Config& config);

}  // namespace voxport::hifigan
