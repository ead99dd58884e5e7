// The generator of HiFi-GAN, which is also the decoder of VITS: from latent frames to samples.
// Kong, Kim and Bae, "HiFi-GAN" (2020). hifi-gan/models.py, Generator.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "arch/blocks/batch_caches.h"
#include "arch/blocks/layers.h"
#include "arch/blocks/row_caches.h"
#include "graph/model_metadata.h"
#include "graph/steps.h"

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

// A transposed convolution that stretches time by `rate`.
struct Upsampling {
  std::string path;
  Tensor weight;  // [in, out / groups, kernel]
  std::optional<Tensor> bias;
  std::int64_t rate;
  std::int64_t padding;
  std::int64_t groups = 1;

  // Without a bias, and padded so that each step of x makes `rate`.
  Upsampling(std::string path, Tensor weight, std::int64_t rate, std::int64_t groups);
  Upsampling(const Weights& w, std::int64_t in, std::int64_t out, std::int64_t rate,
             std::int64_t kernel);

  Value operator()(const Value& x, Caches* caches) const;  // caches may be null
};

// ResBlock1: pairs of a dilated and an undilated convolution. ResBlock2: dilated ones alone.
struct ResBlock {
  std::vector<std::vector<Conv1d>> steps;  // each is added to what went into it

  ResBlock(const Weights& w, std::int64_t channels, std::int64_t kernel,
           const std::vector<std::int64_t>& dilations, bool is_resblock1);

  // Caches may be null.
  Value operator()(Value x, Caches* caches) const;

  // Steps that it looks ahead.
  std::int64_t look_ahead() const;
};

// What makes samples of the steps behind the last stage. Generators differ in it: see Generator
// here, and blocks/istft_generator.h.
struct Head {
  std::int64_t stretch = 1;  // samples of a step
  Steps needed;              // by the samples of step 0
  // [b, channels, t] -> [b, 1, stretch * t], with padding of its own at both ends. The caches may
  // be null.
  std::function<Value(const Value&, RowCaches*)> samples;
};

// The generator without its head.
struct Stages {
  Config config;
  Conv1d conv_pre;
  std::optional<Conv1d> cond;
  std::vector<Upsampling> ups;
  std::vector<std::vector<ResBlock>> resblocks;  // by stage

  Stages(const Weights& w, const Config& config);

  // x [b, in_channels, t], g [b, gin_channels, 1] -> what the head makes of it.
  // With caches, x is a piece of a sequence, and so are the samples.
  Value operator()(Value x, const std::optional<Value>& g, const Head& head, Caches* caches) const;

 private:
  Value stage(const Value& x, std::size_t i, Caches* caches) const;
  // For pieces that are all at the same place.
  Value samples_of_batch(Value x, const Head& head, BatchCaches& caches) const;
  // Stages from `first` on, and the head, of a whole sequence.
  Value samples_from(std::size_t first, Value x, const Head& head) const;
  Value mean_of_resblocks(const Value& x, std::size_t stage, Caches* caches) const;
};

// What comes into the head, as it leaves the last stage: leaky_relu(x), with PyTorch's own slope.
Value activated(const Value& x);

// In frames, of all samples of a frame together.
ReceptiveField receptive_field(const Config& config);
// The same with another head than conv_post, which needs these steps for the samples of step 0.
ReceptiveField receptive_field(const Config& config, const Steps& needed);

struct Generator {
  Stages stages;
  Conv1d conv_post;

  Generator(const Weights& w, const Config& config);

  // x [b, in_channels, t], g [b, gin_channels, 1] -> [b, 1, hop_length * t]
  // With caches, x is a piece of a sequence, and so are the samples.
  Value operator()(Value x, const std::optional<Value>& g, Caches* caches = nullptr) const;

  ReceptiveField receptive_field() const { return hifigan::receptive_field(stages.config); }
};

}  // namespace voxport::hifigan
