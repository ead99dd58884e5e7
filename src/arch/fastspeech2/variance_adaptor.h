// The variance adaptor: how long phonemes last, how high and how loud they are, told from the text
// and added to it. Ren et al., "FastSpeech 2" (2020), section 2.3; FastSpeech2/model/modules.py.
#pragma once

#include <string>

#include "arch/blocks/layers.h"
#include "arch/fastspeech2/config.h"
#include "arch/fastspeech2/sequence_mask.h"

namespace voxport::fastspeech2 {

struct VariancePredictor {
  std::string path;
  Conv1d conv1d_1;
  LayerNorm layer_norm_1;
  Conv1d conv1d_2;
  LayerNorm layer_norm_2;
  Linear linear_layer;

  VariancePredictor(const Weights& w, std::int64_t channels, std::int64_t filter_size);

  // One number for each step, 0 beyond the end of a row: [b, t]. x is channels last.
  Value operator()(const Value& x, const SequenceMask& mask) const;
};

// Pitch or energy: what is predicted, times a control, is put into one of a few bins, each of which
// has its embedding.
struct Variance {
  VariancePredictor predictor;
  Tensor bins;  // the bounds between bins, linear or logarithmic as trained
  Embedding embedding;

  // `name` is pitch or energy, `own` its config.
  Variance(const Weights& w, const std::string& name, const VarianceConfig& own,
           const Config& config);

  // What is added to x, channels last.
  Value operator()(const Value& x, const SequenceMask& mask, const Value& control) const;
};

// [1] each.
struct Controls {
  Value pitch, energy, duration;
};

// How many frames each phoneme lasts, from the logarithm of that and one more: float32 [b, t].
// The reference rounds, multiplies by the control and leaves it to its length regulator to cut to
// whole frames: with phonemes of one to three frames, a control of 0.8 leaves a third of them. With
// `rounds_last` the numbers are whole: multiplied first and rounded last, and a phoneme that lasts
// without a control keeps one frame under any control above 0. Both are one under a control of 1.
Value frames_of(const Value& log_duration, const Value& control, bool rounds_last);

struct VarianceAdaptor {
  Config config;
  VariancePredictor duration_predictor;
  Variance pitch, energy;

  VarianceAdaptor(const Weights& w, const Config& config);

  struct Output {
    Value x;            // by frame, channels last
    Value durations;    // float32 [b, t]: frames of each phoneme before they are cut to whole ones
    Value lengths;      // int64 [b]: frames of each row
    Value frames;       // int64 [1]: of the longest row, at least 1
    SequenceMask mask;  // of the frames
  };
  // x is channels last, by phoneme; `rounds_last` as in frames_of().
  Output operator()(Value x, const SequenceMask& mask, const Controls& controls,
                    bool rounds_last) const;
};

}  // namespace voxport::fastspeech2
