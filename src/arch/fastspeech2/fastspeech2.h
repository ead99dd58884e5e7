// FastSpeech2: phonemes to a mel spectrogram, all frames at once. Ren et al., "FastSpeech 2: Fast
// and High-Quality End-to-End Text to Speech" (2020); as ming024's implementation has it,
// FastSpeech2/model/fastspeech2.py.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arch/fastspeech2/config.h"
#include "arch/fastspeech2/transformer.h"
#include "arch/fastspeech2/variance_adaptor.h"

namespace voxport::fastspeech2 {

struct Options {
  // The reference multiplies energy by the control of pitch, and has none of its own.
  bool own_energy_control = false;
  bool silent_padding = false;         // else it is heard, as in the reference; see SequenceMask
  bool rounds_durations_last = false;  // else first, as in the reference; see frames_of()
};

// Five convolutions that add detail to the mel; their batch norms are folded into them.
// FastSpeech2/transformer/Layers.py PostNet.
struct PostNet {
  std::vector<Conv1d> convolutions;

  PostNet(const Weights& w, const Config& config);

  Value operator()(const Value& mel, const SequenceMask& mask) const;  // channels last
};

struct FastSpeech2 {
  Config config;
  Embedding src_word_emb;
  Transformer encoder;
  std::optional<Embedding> speaker_emb;
  VarianceAdaptor variance_adaptor;
  Transformer decoder;
  Linear mel_linear;
  PostNet postnet;

  // Takes every tensor that inference needs, and declares those that only training does.
  FastSpeech2(const Weights& w, const Config& config);

  // Its inputs and outputs are a contract; see docs/fastspeech2.md.
  std::unique_ptr<Graph> graph(const Options& options) const;
};

}  // namespace voxport::fastspeech2
