// Encoder and decoder of FastSpeech2: feed-forward transformer blocks over a sequence that knows
// its positions. Ren et al., "FastSpeech" (2019), section 3.1; FastSpeech2/transformer/Models.py,
// Layers.py, SubLayers.py.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/blocks/attention.h"
#include "arch/blocks/layers.h"
#include "arch/fastspeech2/config.h"
#include "arch/fastspeech2/sequence_mask.h"

namespace voxport::fastspeech2 {

// The table that was trained with. A sequence longer than max_seq_len does not use it at all: then
// all positions are computed.
struct PositionEncoding {
  std::string path;
  Tensor table;  // [max_seq_len + 1, channels]

  PositionEncoding(const Weights& w, const TransformerConfig& config);

  // Of the positions below `length`, int64 [1]: [length, channels].
  Value operator()(const Value& length) const;
};

struct MultiHeadAttention {
  HeadProjections projections;
  Linear fc;
  LayerNorm layer_norm;

  MultiHeadAttention(const Weights& w, const TransformerConfig& config);

  Value operator()(const Value& x, const SequenceMask& mask) const;  // channels last
};

struct PositionwiseFeedForward {
  Conv1d w_1, w_2;
  LayerNorm layer_norm;

  PositionwiseFeedForward(const Weights& w, const TransformerConfig& config);

  Value operator()(const Value& x, const SequenceMask& mask) const;  // channels last
};

// What lies beyond the end of a row is 0 after each half.
struct FFTBlock {
  MultiHeadAttention slf_attn;
  PositionwiseFeedForward pos_ffn;

  FFTBlock(const Weights& w, const TransformerConfig& config);

  Value operator()(const Value& x, const SequenceMask& mask) const;  // channels last
};

struct Transformer {
  PositionEncoding position_enc;
  std::vector<FFTBlock> layer_stack;

  Transformer(const Weights& w, const TransformerConfig& config);

  // `length` is that of the sequence, int64 [1].
  Value operator()(Value x, const Value& length, const SequenceMask& mask) const;  // channels last
};

}  // namespace voxport::fastspeech2
