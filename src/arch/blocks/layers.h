// The layers that networks are made of, as torch.nn keeps them. A layer takes its tensors from its
// place in the checkpoint when it is made, and adds its nodes when it is called, named by that
// place.
//
// Sequences come in two layouts:
//   channels first  [b, c, t]      for convolutions
//   channels last   [b, t, c]      for matrix products and norms
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checkpoint/weights.h"
#include "graph/graph.h"

namespace voxport {

constexpr std::int64_t kBatch = 0;
constexpr std::int64_t kChannels = 1;  // in channels first
constexpr std::int64_t kTime = -1;     // in channels first

Value channels_first(const Value& x);
Value channels_last(const Value& x);

// torch.nn.Conv1d.
struct Conv1d {
  struct Options {
    std::int64_t dilation = 1;
    std::int64_t groups = 1;
    bool has_bias = true;
  };

  std::string path;
  Tensor weight;  // [out, in / groups, kernel]
  std::optional<Tensor> bias;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  std::int64_t pad_before = 0;
  std::int64_t pad_after = 0;

  // With padding on both sides that keeps the length: (kernel - 1) * dilation / 2 before, the rest
  // after.
  Conv1d(const Weights& w, std::int64_t in, std::int64_t out, std::int64_t kernel,
         const Options& options);
  Conv1d(const Weights& w, std::int64_t in, std::int64_t out, std::int64_t kernel)
      : Conv1d(w, in, out, kernel, Options()) {}
  // Without padding.
  Conv1d(std::string path, Tensor weight, std::optional<Tensor> bias);

  Value operator()(const Value& x) const;  // channels first
};

// torch.nn.BatchNorm1d in inference, where it only scales and moves each channel.
struct BatchNorm1d {
  Tensor weight, bias, running_mean, running_var;

  BatchNorm1d(const Weights& w, std::int64_t channels);
};
// The convolution, which has a bias, and the norm behind it as one convolution.
Conv1d folded(Conv1d conv, const BatchNorm1d& norm);

// torch.nn.Linear, or a Conv1d of kernel 1, for channels last.
struct Linear {
  std::string path;
  Tensor weight;  // [in, out]
  std::optional<Tensor> bias;

  // Of a convolution of kernel 1, whose weight is [out, in, 1].
  Linear(const Weights& w, std::int64_t in, std::int64_t out);
  // Of a torch.nn.Linear, whose weight is [out, in].
  static Linear of_matrix(const Weights& w, std::int64_t in, std::int64_t out);
  Linear(std::string path, Tensor weight, std::optional<Tensor> bias);

  Value operator()(const Value& x) const;
};

// torch.nn.LayerNorm over the channels.
struct LayerNorm {
  std::string path;
  Tensor gamma;
  Tensor beta;
  double epsilon = 1e-5;  // PyTorch's own

  // With parameters that are named gamma and beta, or as torch.nn has them: weight and bias.
  enum class Names { kGammaAndBeta, kWeightAndBias };
  LayerNorm(const Weights& w, std::int64_t channels, Names names = Names::kGammaAndBeta);

  Value operator()(const Value& x) const;  // channels last
};

// torch.nn.Embedding: indices of any shape gain an axis of channels at the end.
struct Embedding {
  std::string path;
  Tensor weight;  // [count, channels]

  Embedding(const Weights& w, std::int64_t count, std::int64_t channels);

  Value operator()(const Value& indices) const;
};

}  // namespace voxport
