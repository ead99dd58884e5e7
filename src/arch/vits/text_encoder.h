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

// What the layers of attention share: how a band of relative positions becomes a square of absolute
// ones. The shapes depend on the length alone.
struct Band {
  std::int64_t window;    // positions to each side that have embeddings of their own
  Value length;           // t, [1]
  Value flat_scores;      // [0, heads, -1]
  Value flat_scores_end;  // t * (t + 2 * window), [1]
  Value square;           // [0, heads, t, t + 2 * window]
  Value skewed;           // [0, heads, t, t + 2 * window + 1]

  Band(const Value& length, std::int64_t window, std::int64_t heads);

  // [b, h, t, 2 * window + 1] -> [b, h, t, t]: entry j of row i moves to column i + j - window.
  Value to_absolute(const Value& relative) const;
  // [b, h, t, t] -> [b, h, t, 2 * window + 1], the other way; what lies outside the band is left
  // out.
  Value to_relative(const Value& absolute) const;
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
