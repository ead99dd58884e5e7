#include "arch/fastspeech2/transformer.h"

#include "arch/blocks/sinusoid.h"
#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::fastspeech2 {
namespace {

HeadProjections projections_of(const Weights& w, const TransformerConfig& config) {
  const std::int64_t channels = config.hidden;
  return {w.path(), config.heads, Linear::of_matrix(w / "w_qs", channels, channels),
          Linear::of_matrix(w / "w_ks", channels, channels),
          Linear::of_matrix(w / "w_vs", channels, channels)};
}

}  // namespace

PositionEncoding::PositionEncoding(const Weights& w, const TransformerConfig& config)
    : path(w.path()),
      table(reshaped(w.tensor("position_enc", {1, config.positions, config.hidden}),
                     {config.positions, config.hidden})) {}

// How many positions come from the table is known when the graph runs: all of them, or none.
Value PositionEncoding::operator()(const Value& length) const {
  Builder g(length.graph());
  const Graph::Scope scope(g.graph(), path);
  const auto max_seq_len = static_cast<double>(table.shape[0] - 1);
  const Value kept = where(less_or_equal(length, max_seq_len), length, int64s(length, {0}));
  g.graph().declare_elements(kept, {Dim::symbol(path + "_kept")});
  const Value trained = gather(g.constant("position_enc", table), range(kept), 0);
  return concat({trained, sinusoid_encoding(kept, length, table.shape[1])}, 0);
}

MultiHeadAttention::MultiHeadAttention(const Weights& w, const TransformerConfig& config)
    : projections(projections_of(w, config)),
      fc(Linear::of_matrix(w / "fc", config.hidden, config.hidden)),
      layer_norm(w / "layer_norm", config.hidden, LayerNorm::Names::kWeightAndBias) {}

Value MultiHeadAttention::operator()(const Value& x, const SequenceMask& mask) const {
  const auto [query, key, value] = projections(x);
  const Graph::Scope scope(x.graph(), projections.path);
  const Value scores = matmul(query, transpose(key, {0, 1, 3, 2})) + mask.scores;  // [b, h, t, t]
  const Value output = projections.join(matmul(softmax(scores, -1), value));
  return layer_norm(fc(output) + x);
}

PositionwiseFeedForward::PositionwiseFeedForward(const Weights& w, const TransformerConfig& config)
    : w_1(w / "w_1", config.hidden, config.filter_size, config.kernel_1),
      w_2(w / "w_2", config.filter_size, config.hidden, config.kernel_2),
      layer_norm(w / "layer_norm", config.hidden, LayerNorm::Names::kWeightAndBias) {}

Value PositionwiseFeedForward::operator()(const Value& x, const SequenceMask& mask) const {
  const Graph::Scope scope(x.graph(), layer_norm.path);
  Value output = relu(w_1(channels_first(x)));
  if (w_2.weight.shape[2] > 1) output = mask.heard(output);
  return layer_norm(channels_last(w_2(output)) + x);
}

FFTBlock::FFTBlock(const Weights& w, const TransformerConfig& config)
    : slf_attn(w / "slf_attn", config), pos_ffn(w / "pos_ffn", config) {}

Value FFTBlock::operator()(const Value& x, const SequenceMask& mask) const {
  const Value attended = slf_attn(x, mask) * mask.last;
  return pos_ffn(attended, mask) * mask.last;
}

Transformer::Transformer(const Weights& w, const TransformerConfig& config)
    : position_enc(w, config) {
  for (std::int64_t i = 0; i < config.layers; ++i)
    layer_stack.emplace_back(w / "layer_stack" / i, config);
}

Value Transformer::operator()(Value x, const Value& length, const SequenceMask& mask) const {
  const Graph::Scope scope(x.graph(), position_enc.path);
  x = x + position_enc(length);
  for (const FFTBlock& layer : layer_stack) x = layer(x, mask);
  return x;
}

}  // namespace voxport::fastspeech2
