// The generators that leave the last of the way to an inverse STFT: fewer stages, and samples of
// many steps at once. They are decoders of VITS.
//   iSTFT         Kaneko et al., "iSTFTNet" (2022)
//   multi-band    Kawamura et al., "Lightweight and High-Fidelity End-to-End Text-to-Speech with
//   multi-stream  Multi-Band Generation and Inverse Short-Time Fourier Transform" (2022)
// MB-iSTFT-VITS/models.py: iSTFT_Generator, Multiband_iSTFT_Generator, Multistream_iSTFT_Generator.
#pragma once

#include <cstdint>
#include <optional>

#include "arch/blocks/hifigan.h"
#include "arch/blocks/istft.h"
#include "arch/blocks/subbands.h"

namespace voxport::istft {

enum class Kind { kOneBand, kMultiBand, kMultiStream };

// Of what comes behind the stages.
struct Config {
  Kind kind = Kind::kOneBand;
  std::int64_t n_fft = 0;
  std::int64_t hop_size = 0;  // in samples of a subband
  std::int64_t subbands = 1;
  std::int64_t taps = 0;  // of the synthesis filter

  // Samples of a step.
  std::int64_t stretch() const { return hop_size * subbands; }
};

struct Generator {
  Config config;
  hifigan::Stages stages;
  Conv1d conv_post;  // subband_conv_post where there are subbands
  InverseStft stft;
  std::optional<SubbandSynthesis> synthesis;

  Generator(const Weights& w, const hifigan::Config& stages, const Config& config);

  // x [b, in_channels, t], g [b, gin_channels, 1] -> [b, 1, stretch * steps]
  // With caches, x is a piece of a sequence, and so are the samples.
  Value operator()(Value x, const std::optional<Value>& g, Caches* caches = nullptr) const;

  // In frames, of all samples of a frame together.
  ReceptiveField receptive_field() const;

 private:
  Value samples(const Value& steps) const;  // of whole sequences
  Value samples_of_rows(const Value& steps, RowCaches& rows) const;
  Steps needed() const;
};

}  // namespace voxport::istft
