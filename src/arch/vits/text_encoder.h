// The prior encoder of VITS: phonemes to hidden states, by a transformer that knows how far apart
// two phonemes are. Kim, Kong and Son, "VITS" (2021), section 2.2.1; vits/models.py TextEncoder,
// vits/attentions.py.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/blocks/attention.h"
#include "arch/blocks/layers.h"
#include "arch/blocks/mask.h"
#include "arch/vits/config.h"

namespace voxport::vits {

// What the layers of attention share: where the neighbours of each step are, which are those up to
// `window` steps away, from the first to the last. Beyond either end of the sequence the nearest
// step stands in. What is done to neighbours alone takes time and memory for the steps, not for
// their square.
struct Band {
  Value places;   // int64 [b, heads, t, 2 * window + 1]: which step the neighbour is
  Value entries;  // the same shape: which of the neighbours that step is
  Value exists;   // float32 [t, 2 * window + 1]: 0 where another stands in

  // ids [b, t]
  Band(const Value& ids, std::int64_t window, std::int64_t heads);

  // square [b, heads, t, t], relative [b, heads, t, 2 * window + 1]: entry j of row i is added to
  // column i + j - window; what would be outside is left out.
  Value with_added(const Value& square, const Value& relative) const;
  // The other way: what the square has there, 0 outside.
  Value of_neighbours(const Value& square) const;
};

// Shaw, Uszkoreit and Vaswani, "Self-Attention with Relative Position Representations" (2018).
struct MultiHeadAttention {
  std::string path;
  HeadProjections projections;
  Linear conv_o;
  Tensor emb_rel_k;  // [1 or heads, k_channels, 2 * window + 1]
  Tensor emb_rel_v;  // [1 or heads, 2 * window + 1, k_channels]

  MultiHeadAttention(const Weights& w, const TextEncoderConfig& config);

  Value operator()(const Value& x, const Mask& mask, const Band& band) const;  // channels last
};

struct FFN {
  Conv1d conv_1, conv_2;

  FFN(const Weights& w, const TextEncoderConfig& config);

  Value operator()(const Value& x, const Mask& mask) const;  // channels last
};

struct TextEncoder {
  struct Layer {
    MultiHeadAttention attn;
    LayerNorm norm_1;
    FFN ffn;
    LayerNorm norm_2;
  };

  TextEncoderConfig config;
  Embedding emb;
  std::vector<Layer> layers;
  Linear proj;

  TextEncoder(const Weights& w, const TextEncoderConfig& config);

  struct Output {
    Value x;      // hidden states, channels last
    Value stats;  // mean and log of the deviation of the prior, side by side, channels last
  };
  // input i64 [b, t], language [b, 1, language_channels] where there are several
  Output operator()(const Value& input, const Mask& mask,
                    const std::optional<Value>& language = std::nullopt) const;
};

}  // namespace voxport::vits
