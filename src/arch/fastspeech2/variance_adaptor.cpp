#include "arch/fastspeech2/variance_adaptor.h"

#include "arch/blocks/length_regulator.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport::fastspeech2 {
namespace {

// How many bounds lie below each number, as torch.bucketize counts them: int64 [b, t].
Value bucketize(const Value& x, const Value& bounds) {
  const Value is_above = cast(less(bounds, unsqueeze(x, {2})), DType::kFloat32);  // [b, t, bounds]
  return cast(reduce_sum(is_above, {2}, false), DType::kInt64);
}

}  // namespace

VariancePredictor::VariancePredictor(const Weights& w, std::int64_t channels,
                                     std::int64_t filter_size)
    : path(w.path()),
      conv1d_1(w / "conv_layer" / "conv1d_1" / "conv", channels, filter_size, kPredictorKernel),
      layer_norm_1(w / "conv_layer" / "layer_norm_1", filter_size,
                   LayerNorm::Names::kWeightAndBias),
      conv1d_2(w / "conv_layer" / "conv1d_2" / "conv", filter_size, filter_size, kPredictorKernel),
      layer_norm_2(w / "conv_layer" / "layer_norm_2", filter_size,
                   LayerNorm::Names::kWeightAndBias),
      linear_layer(Linear::of_matrix(w / "linear_layer", filter_size, 1)) {}

Value VariancePredictor::operator()(const Value& x, const SequenceMask& mask) const {
  const Graph::Scope scope(x.graph(), path);
  Value out = layer_norm_1(channels_last(relu(conv1d_1(mask.heard(channels_first(x))))));
  out = layer_norm_2(channels_last(relu(conv1d_2(mask.heard(channels_first(out))))));
  out = squeeze(linear_layer(out), {2});
  return where(mask.present, out, Builder(x.graph()).scalar(0, DType::kFloat32));
}

Variance::Variance(const Weights& w, const std::string& name, const VarianceConfig& own,
                   const Config& config)
    : predictor(w / (name + "_predictor"), config.encoder.hidden, config.predictor_filter_size),
      bins(w.tensor(name + "_bins", {own.bins - 1})),
      embedding(w / (name + "_embedding"), own.bins, config.encoder.hidden) {}

Value Variance::operator()(const Value& x, const SequenceMask& mask, const Value& control) const {
  const Value prediction = predictor(x, mask) * control;
  const Graph::Scope scope(x.graph(), embedding.path);
  return embedding(bucketize(prediction, Builder(x.graph()).constant("bins", bins)));
}

VarianceAdaptor::VarianceAdaptor(const Weights& w, const Config& its_config)
    : config(its_config),
      duration_predictor(w / "duration_predictor", config.encoder.hidden,
                         config.predictor_filter_size),
      pitch(w, "pitch", config.pitch, config),
      energy(w, "energy", config.energy, config) {}

Value frames_of(const Value& log_duration, const Value& control, bool rounds_last) {
  const Value predicted = exp(log_duration) - 1;
  const Value unscaled = round(predicted);
  if (!rounds_last) return clip(unscaled * control, 0, kMostFrames);
  const Value frames = clip(round(predicted * control), 0, kMostFrames);
  const Value least = clip(unscaled, 0, 1) * cast(greater(control, 0), DType::kFloat32);
  return where(less(frames, least), least, frames);
}

// Embeddings are added beyond the end of a row, too: predictors that come later hear them there.
VarianceAdaptor::Output VarianceAdaptor::operator()(Value x, const SequenceMask& mask,
                                                    const Controls& controls,
                                                    bool rounds_last) const {
  const Graph::Scope scope(x.graph(), "variance_adaptor");
  const Value log_duration = duration_predictor(x, mask);
  if (!config.pitch.is_frame_level) x = x + pitch(x, mask, controls.pitch);
  if (!config.energy.is_frame_level) x = x + energy(x, mask, controls.energy);

  const Value durations = frames_of(log_duration, controls.duration, rounds_last);  // [b, t]
  const Alignment alignment = align(cast(durations, DType::kInt64));
  const SequenceMask of_frames("variance_adaptor.mel_mask", alignment.lengths, alignment.frames,
                               mask.is_silent);
  x = spread(x, alignment);

  if (config.pitch.is_frame_level) x = x + pitch(x, of_frames, controls.pitch);
  if (config.energy.is_frame_level) x = x + energy(x, of_frames, controls.energy);
  return {x, durations, alignment.lengths, alignment.frames, of_frames};
}

}  // namespace voxport::fastspeech2
