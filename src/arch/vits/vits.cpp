#include "arch/vits/vits.h"

#include <utility>

#include "arch/blocks/length_regulator.h"
#include "arch/blocks/receptive_field.h"
#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::vits {
namespace {

Dim batch_size() { return Dim::symbol("batch_size"); }
Dim phonemes() { return Dim::symbol("phonemes"); }
Dim frames() { return Dim::symbol("frames"); }

Type int64_type(Shape shape) { return {DType::kInt64, std::move(shape), {}}; }
Type float_type(Shape shape) { return {DType::kFloat32, std::move(shape), {}}; }

// noise, length and noise_w: [1] each, or [b, 1] where they are per row.
struct Scales {
  Value noise, length, noise_w;

  Scales(const Value& scales) {
    const std::int64_t axis = static_cast<std::int64_t>(scales.rank()) - 1;
    noise = slice(scales, axis, 0, 1);
    length = slice(scales, axis, 1, 2);
    noise_w = slice(scales, axis, 2, 3);
  }
};

// A scale in a shape that meets tensors of that rank, whose first axis is the batch.
Value for_rank(const Value& scale, std::int64_t rank) {
  if (scale.rank() == 1) return scale;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), 1);
  shape[0] = -1;
  return reshape(scale, shape);
}

// [b, t] as one channel, channels last.
Value one_channel(const Value& x) { return unsqueeze(x, {2}); }

bool is_in_order(const std::vector<std::int64_t>& order) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

Decoder decoder_at(const Weights& w, const Config& config) {
  if (config.istft) return istft::Generator(w, config.decoder, *config.istft);
  return hifigan::Generator(w, config.decoder);
}

}  // namespace

// What lies between encoder and decoder.
struct Vits::Latent {
  Value z, y_mask, durations;
  std::optional<Value> g;
};

Vits::Vits(const Weights& w, const Config& its_config)
    : config(its_config),
      enc_p(w / "enc_p", config.text_encoder),
      flow(w / "flow", config.flow),
      dec(decoder_at(w / "dec", config)) {
  if (config.durations.is_stochastic) {
    sdp.emplace(w / "dp", config.durations);
  } else {
    dp.emplace(w / "dp", config.durations);
  }
  if (config.has_speaker_table()) emb_g.emplace(w / "emb_g", config.speakers, config.gin_channels);
  if (config.has_languages())
    emb_l.emplace(w / "emb_l", config.languages, config.text_encoder.language_channels);
  if (config.interpolation > 1)
    stretch.emplace("dec.interpolate", config.inter_channels(), config.interpolation);
  (w / "enc_q").ignore();  // the posterior encoder, for training only
  if (config.durations.gin_channels == 0) (w / "dp" / "cond").ignore();
  if (config.has_speakers()) return;
  // A network may be built for speakers and have one: the layers that take them are there, unused.
  if (const auto rows = (w / "emb_g").shape_of("weight"); rows && rows->front() == 1)
    (w / "emb_g").ignore();
  (w / "dec" / "cond").ignore();
  for (std::int64_t i = 0; i < config.flow.n_flows; ++i)
    (w / "flow" / "flows" / (2 * i) / "enc" / "cond_layer").ignore();
}

Value Vits::log_durations(const TextEncoder::Output& text, const Mask& mask, const Value& input,
                          const Value& noise_w, const std::optional<Value>& g,
                          const std::optional<Value>& language, const Options& options) const {
  if (dp) return (*dp)(text.x, mask, g, language);
  const Graph::Scope scope(input.graph(), "dp");
  std::pair<Value, Value> noise;
  if (options.noise_input) {
    const Value given =
        input.graph().add_input("noise_w", float_type({batch_size(), 2, phonemes()}));
    const std::vector<Value> channels = split(given, {1, 1}, 1);  // [b, 1, t]
    noise = {one_channel(squeeze(channels[0], {1})), one_channel(squeeze(channels[1], {1}))};
  } else {
    noise.first = one_channel(random_normal_like(input));
    noise.second = one_channel(random_normal_like(input));
  }
  noise.first = noise.first * for_rank(noise_w, 3);
  noise.second = noise.second * for_rank(noise_w, 3);
  return (*sdp)(text.x, mask, g, language, std::move(noise));
}

// torch.nn.functional.normalize makes the same of a vector that is nothing but zeros.
Value Vits::speaker(Graph& graph) const {
  if (emb_g) return (*emb_g)(graph.add_input("sid", int64_type({batch_size()})));
  constexpr double kLeastNorm = 1e-12;
  const Value given = graph.add_input("d_vector", float_type({batch_size(), config.gin_channels}));
  const Graph::Scope scope(graph, "d_vector");
  return given / maximum(sqrt(reduce_sum(given * given, {1}, true)), kLeastNorm);
}

Vits::Latent Vits::encode(Graph& graph, const Options& options) const {
  const Value input = graph.add_input("input", int64_type({batch_size(), phonemes()}));
  const Value input_lengths = graph.add_input("input_lengths", int64_type({batch_size()}));
  const Value scales_input = graph.add_input(
      "scales", float_type(options.batch_scales ? Shape{batch_size(), 3} : Shape{3}));

  Latent latent;
  std::optional<Value> g_last;  // the speaker, channels last
  if (config.has_speakers()) {
    const Value embedded = speaker(graph);
    latent.g = unsqueeze(embedded, {2});
    g_last = unsqueeze(embedded, {1});
  }
  std::optional<Value> language;  // channels last
  if (emb_l)
    language = unsqueeze((*emb_l)(graph.add_input("langid", int64_type({batch_size()}))), {1});
  const Scales scales(scales_input);
  const Mask mask("enc_p.x_mask", input_lengths, size(input, 1));
  const TextEncoder::Output text = enc_p(input, mask, language);
  const Value logw = log_durations(text, mask, input, scales.noise_w, g_last, language, options);

  const Graph::Scope scope(graph, "align");
  const Value w = exp(squeeze(logw, {2})) * for_rank(scales.length, 2);
  const Value none = Builder(graph).scalar(0, DType::kFloat32);
  const Value w_ceil = where(mask.present, clip(ceil(w), 0, kMostFrames), none);  // [b, t]
  latent.durations = unsqueeze(w_ceil, {1});
  const Alignment alignment = align(cast(w_ceil, DType::kInt64));
  const Value y_lengths = maximum(alignment.lengths, 1);
  latent.y_mask = unsqueeze(cast(sequence_mask(y_lengths, alignment.frames), DType::kFloat32), {1});

  // The deviation is computed by phoneme, of which there are fewer.
  const std::int64_t channels = config.inter_channels();
  const std::vector<Value> prior = split(text.stats, {channels, channels}, -1);
  const Value deviation = exp(prior[1]) * for_rank(scales.noise, 3);
  const Value spread_out =
      transpose(spread(concat({prior[0], deviation}, -1), alignment), {0, 2, 1});
  const std::vector<Value> parts = split(spread_out, {channels, channels}, 1);  // [b, c, frames]
  Value noise;
  if (options.noise_input) {
    const Value given =
        graph.add_input("noise", float_type({batch_size(), channels, Dim::symbol("noise_frames")}));
    // A slice would let one frame of noise be repeated for all of them; this refuses too few.
    noise = gather(given, range(alignment.frames), 2);
  } else {
    noise = random_normal_like(parts[0]);
  }
  latent.z = parts[0] + noise * parts[1];

  if (options.cut_after_flow) {
    const ResidualCouplingBlock::Output out = flow.reverse(latent.z, latent.y_mask, latent.g);
    latent.z =
        is_in_order(out.order) ? out.z : gather(out.z, Builder(graph).int64s(out.order), kChannels);
  }
  return latent;
}

Value Vits::decode(const Value& z, const std::optional<Value>& y_mask,
                   const std::optional<Value>& g, const Options& options, Caches* caches) const {
  const auto samples = [&](const Value& latent, const std::vector<std::int64_t>& order) {
    const Value steps = stretched(latent, y_mask, caches);
    return std::visit(
        [&](auto turned) {
          Tensor& weight = turned.stages.conv_pre.weight;
          if (!is_in_order(order)) weight = picked(weight, 1, order);
          return turned(steps, g, caches);
        },
        dec);
  };
  if (options.cut_after_flow) return samples(y_mask ? z * *y_mask : z, {});
  const ResidualCouplingBlock::Output out = flow.reverse(z, y_mask, g, caches);
  return samples(out.z, out.order);
}

// The last frame of a row of a batch fades into the zeros behind it, for as long as it lasts.
Value Vits::stretched(const Value& z, const std::optional<Value>& y_mask, Caches* caches) const {
  if (!stretch) return z;
  const Value steps = (*stretch)(z, caches);
  return y_mask ? steps * stretch->of_mask(*y_mask) : steps;
}

std::unique_ptr<Graph> Vits::encoder(const Options& options) const {
  auto graph = std::make_unique<Graph>();
  graph->graph_name = "vits_encoder";
  const Latent latent = encode(*graph, options);
  graph->add_output("z", latent.z);
  graph->add_output("y_mask", latent.y_mask);
  if (decoder_takes_speaker(options)) graph->add_output("g", *latent.g);
  graph->add_output("durations", latent.durations);
  return graph;
}

bool Vits::decoder_takes_speaker(const Options& options) const {
  return config.has_speakers() && (!options.cut_after_flow || config.decoder.gin_channels != 0);
}

std::optional<Value> Vits::add_speaker(Graph& graph, const Options& options) const {
  if (!decoder_takes_speaker(options)) return std::nullopt;
  return graph.add_input("g", float_type({batch_size(), config.gin_channels, 1}));
}

std::unique_ptr<Graph> Vits::decoder(const Options& options) const {
  auto graph = std::make_unique<Graph>();
  graph->graph_name = "vits_decoder";
  const Value z =
      graph->add_input("z", float_type({batch_size(), config.inter_channels(), frames()}));
  const Value y_mask = graph->add_input("y_mask", float_type({batch_size(), 1, frames()}));
  const std::optional<Value> g = add_speaker(*graph, options);
  graph->add_output("output", decode(z, y_mask, g, options));
  return graph;
}

Vits::StreamDecoder Vits::stream_decoder(const Options& options) const {
  StreamDecoder made{std::make_unique<Graph>()};
  Graph& graph = *made.graph;
  graph.graph_name = "vits_stream_decoder";
  const Value z =
      graph.add_input("z", float_type({batch_size(), config.inter_channels(), frames()}));
  const std::optional<Value> g = add_speaker(graph, options);
  BatchCaches caches(z);
  graph.add_output("output", decode(z, std::nullopt, g, options, &caches));
  caches.add_state();
  made.first_frames = caches.first_frames();
  return made;
}

Vits::RowStreamDecoder Vits::row_stream_decoder(const Options& options) const {
  RowStreamDecoder made{std::make_unique<Graph>()};
  Graph& graph = *made.graph;
  graph.graph_name = "vits_row_stream_decoder";
  const Value z =
      graph.add_input("z", float_type({batch_size(), config.inter_channels(), frames()}));
  const std::optional<Value> g = add_speaker(graph, options);
  RowCaches rows(z, receptive_field(options));
  const auto [samples, lengths] =
      rows.samples_and_lengths(decode(rows.sequence(), std::nullopt, g, options, &rows));
  graph.add_output("output", samples);
  graph.add_output("lengths", lengths);
  rows.add_state();
  made.frames_ahead = rows.frames_ahead();
  return made;
}

std::unique_ptr<Graph> Vits::whole(const Options& options) const {
  auto graph = std::make_unique<Graph>();
  graph->graph_name = "vits";
  const Latent latent = encode(*graph, options);
  const Value samples = decode(latent.z, latent.y_mask, latent.g, options);
  graph->add_output("output", unsqueeze(samples, {1}));
  graph->add_output("durations", latent.durations);
  return graph;
}

ReceptiveField Vits::receptive_field(const Options& options) const {
  ReceptiveField field =
      std::visit([](const auto& decoder) { return decoder.receptive_field(); }, dec);
  if (stretch) field = Interpolation::receptive_field(config.interpolation, field);
  if (!options.cut_after_flow) {
    field.left += flow.reach();
    field.right += flow.reach();
  }
  check_receptive_field(field, *decoder(options), "z", "output", config.hop_length());
  return field;
}

}  // namespace voxport::vits
