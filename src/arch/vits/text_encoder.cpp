#include "arch/vits/text_encoder.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::vits {
namespace {

HeadProjections projections_of(const Weights& w, const TextEncoderConfig& config) {
  const std::int64_t channels = config.hidden_channels;
  return {w.path(), config.n_heads, Linear(w / "conv_q", channels, channels),
          Linear(w / "conv_k", channels, channels), Linear(w / "conv_v", channels, channels)};
}

Tensor relative_embeddings(const Weights& w, const char* name, const TextEncoderConfig& config) {
  return w.tensor(name, {config.shares_heads ? 1 : config.n_heads, 2 * config.window_size + 1,
                         config.k_channels()});
}

LayerNorm norm_at(const Weights& w, const TextEncoderConfig& config) {
  LayerNorm norm(w, config.hidden_channels);
  norm.epsilon = config.norm_epsilon;
  return norm;
}

// [b, 1, c] as [b, t, c], for the steps of x.
Value at_each_step(const Value& one, const Value& x) {
  return expand(one, concat({size(x, 0), size(x, 1), int64s(x, {*one.dim(-1).constant()})}, 0));
}

}  // namespace

Band::Band(const Value& its_length, std::int64_t its_window, std::int64_t heads)
    : window(its_window), length(its_length) {
  const Graph::Scope scope(length.graph(), "enc_p.encoder.band");
  const Value width = length + int64s(length, {2 * window});
  flat_scores = int64s(length, {0, heads, -1});
  flat_scores_end = length * width;
  square = concat({int64s(length, {0, heads}), length, width}, 0);
  skewed = concat({int64s(length, {0, heads}), length, width + int64s(length, {1})}, 0);
}

// Rows of t + 2w + 1 read as rows of t + 2w: each row starts one step later than the one above it.
// The added columns are long enough for no row to run into the next.
Value Band::to_absolute(const Value& relative) const {
  const Value flat = reshape(pad_after(relative, -1, length), flat_scores);
  const Value rows = reshape(slice(flat, -1, int64s(length, {0}), flat_scores_end), square);
  return slice(rows, -1, int64s(length, {window}), length + int64s(length, {window}));
}

Value Band::to_relative(const Value& absolute) const {
  const Value flat = reshape(pad(absolute, -1, window, window), flat_scores);
  return slice(reshape(pad_after(flat, -1, length), skewed), -1, 0, 2 * window + 1);
}

MultiHeadAttention::MultiHeadAttention(const Weights& w, const TextEncoderConfig& config)
    : path(w.path()),
      projections(projections_of(w, config)),
      conv_o(w / "conv_o", config.hidden_channels, config.hidden_channels),
      emb_rel_k(permuted(relative_embeddings(w, "emb_rel_k", config), {0, 2, 1})),
      emb_rel_v(relative_embeddings(w, "emb_rel_v", config)) {}

Value MultiHeadAttention::operator()(const Value& x, const Mask& mask, const Band& band) const {
  Builder g(x.graph());
  const auto [query, key, value] = projections(x);
  const Graph::Scope scope(g.graph(), path);

  const Value rel_logits = matmul(query, g.constant("emb_rel_k", emb_rel_k));
  Value scores = matmul(query, transpose(key, {0, 1, 3, 2})) + band.to_absolute(rel_logits);
  const Value p_attn = softmax(scores + mask.scores, -1);  // [b, h, t, t]

  const Value relative_weights = band.to_relative(p_attn);
  const Value output =
      matmul(p_attn, value) + matmul(relative_weights, g.constant("emb_rel_v", emb_rel_v));
  return conv_o(projections.join(output));
}

FFN::FFN(const Weights& w, const TextEncoderConfig& config)
    : conv_1(w / "conv_1", config.hidden_channels, config.filter_channels, config.kernel_size),
      conv_2(w / "conv_2", config.filter_channels, config.hidden_channels, config.kernel_size) {}

Value FFN::operator()(const Value& x, const Mask& mask) const {
  const Graph::Scope scope(x.graph(), conv_1.path);
  const Value h = relu(conv_1(channels_first(x * mask.last)));
  return channels_last(conv_2(h * mask.first));
}

TextEncoder::TextEncoder(const Weights& w, const TextEncoderConfig& its_config)
    : config(its_config),
      emb(w / "emb", config.symbols, config.embedded_channels()),
      proj(w / "proj", config.hidden_channels, 2 * config.out_channels) {
  emb.weight = scaled(emb.weight, std::sqrt(static_cast<double>(config.embedded_channels())));
  const Weights encoder = w / "encoder";
  for (std::int64_t i = 0; i < config.n_layers; ++i) {
    layers.push_back({MultiHeadAttention(encoder / "attn_layers" / i, config),
                      norm_at(encoder / "norm_layers_1" / i, config),
                      FFN(encoder / "ffn_layers" / i, config),
                      norm_at(encoder / "norm_layers_2" / i, config)});
  }
}

// Padded phonemes are kept out of the attention by the mask of scores and out of the convolutions
// where those start; in between they may hold what they like.
TextEncoder::Output TextEncoder::operator()(const Value& input, const Mask& mask,
                                            const std::optional<Value>& language) const {
  const Graph::Scope scope(input.graph(), "enc_p");
  Value x = emb(input);
  if (language) x = concat({x, at_each_step(*language, x)}, -1);
  const Band band(size(input, 1), config.window_size, config.n_heads);
  for (const Layer& layer : layers) {
    const Graph::Scope in_layer(x.graph(), layer.attn.path);
    x = layer.norm_1(x + layer.attn(x, mask, band));
    const Graph::Scope in_ffn(x.graph(), layer.ffn.conv_2.path);
    x = layer.norm_2(x + layer.ffn(x, mask));
  }
  return {x, proj(x)};
}

}  // namespace voxport::vits
