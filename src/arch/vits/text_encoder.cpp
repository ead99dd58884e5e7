#include "arch/vits/text_encoder.h"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

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

Band::Band(const Value& ids, std::int64_t window, std::int64_t heads) {
  Builder g(ids.graph());
  const Graph::Scope scope(g.graph(), "enc_p.encoder.band");
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(2 * window + 1));
  std::iota(offsets.begin(), offsets.end(), -window);
  const Value length = size(ids, 1);
  const Value step = unsqueeze(range(length), {1});
  const Value wanted = step + g.int64s(offsets);
  const Value nearest = minimum(maximum(wanted, 0), length - 1);
  const Value shape =
      concat({size(ids, 0), g.int64s({heads}), length, g.int64s({std::ssize(offsets)})}, 0);
  places = expand(nearest, shape);
  entries = expand(nearest - step + static_cast<double>(window), shape);
  exists = cast(g.node("Equal", {nearest, wanted}), DType::kFloat32);
}

// Where one step is several neighbours of another, all of them write the same sum.
Value Band::with_added(const Value& square, const Value& relative) const {
  const Value sums = gather_elements(square, places, 3) + gather_elements(relative, entries, 3);
  return scatter_elements(square, places, sums, 3);
}

Value Band::of_neighbours(const Value& square) const {
  return gather_elements(square, places, 3) * exists;
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
  const Value scores = band.with_added(matmul(query, transpose(key, {0, 1, 3, 2})), rel_logits);
  const Value p_attn = softmax(scores + mask.scores, -1);  // [b, h, t, t]

  const Value output = matmul(p_attn, value) +
                       matmul(band.of_neighbours(p_attn), g.constant("emb_rel_v", emb_rel_v));
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
  const Band band(input, config.window_size, config.n_heads);
  for (const Layer& layer : layers) {
    const Graph::Scope in_layer(x.graph(), layer.attn.path);
    x = layer.norm_1(x + layer.attn(x, mask, band));
    const Graph::Scope in_ffn(x.graph(), layer.ffn.conv_2.path);
    x = layer.norm_2(x + layer.ffn(x, mask));
  }
  return {x, proj(x)};
}

}  // namespace voxport::vits
