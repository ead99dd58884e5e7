// HiFi-GAN on its own: a mel spectrogram to samples. The generator itself is in blocks/hifigan.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "arch/blocks/hifigan.h"
#include "arch/blocks/settings.h"

namespace voxport::hifigan {

struct VocoderConfig {
  Config generator;
  std::int64_t sampling_rate = 0;
};

// The names of settings that read_config() looks at: those of HiFi-GAN's config.json.
std::span<const std::string_view> setting_names();

// The config of the weights, which are those of a generator. What no shape tells is in `settings`
// (a dict, or None) or, but for the sampling rate, in the one of HiFi-GAN's configs that fits the
// shapes. Fails with kUnsupported, telling all contradictions at once, and what is missing by its
// name.
VocoderConfig read_config(const Weights& w, const Object& settings);

struct Vocoder {
  VocoderConfig config;
  Generator generator;

  // Takes every tensor.
  Vocoder(const Weights& w, const VocoderConfig& config);

  // mel [b, mel, frames] -> audio [b, 1, samples]; see docs/fastspeech2.md.
  std::unique_ptr<Graph> graph() const;
  // The same for pieces of a sequence, with all that it keeps from one to the next.
  struct Stream {
    std::unique_ptr<Graph> graph;
    std::int64_t first_frames = 0;  // the least of the first piece, unless it is the last
  };
  Stream stream() const;

  // Frames of context that graph() needs on each side.
  ReceptiveField receptive_field() const;
};

}  // namespace voxport::hifigan
