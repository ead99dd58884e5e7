// VITS: text to speech in one network. Kim, Kong and Son (2021); as Piper trains it,
// vits/models.py SynthesizerTrn.infer.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "arch/blocks/hifigan.h"
#include "arch/blocks/interpolation.h"
#include "arch/blocks/istft_generator.h"
#include "arch/vits/config.h"
#include "arch/vits/duration_predictor.h"
#include "arch/vits/flow.h"
#include "arch/vits/stochastic_duration_predictor.h"
#include "arch/vits/text_encoder.h"

namespace voxport::vits {

struct Options {
  bool noise_input = false;     // else the graph draws it
  bool cut_after_flow = false;  // the flow belongs to the encoder, else to the decoder
  bool batch_scales = false;    // scales are [batch_size, 3], else [3]
};

// From latent frames to samples.
using Decoder = std::variant<hifigan::Generator, istft::Generator>;

struct Vits {
  Config config;
  TextEncoder enc_p;
  std::optional<StochasticDurationPredictor> sdp;
  std::optional<DurationPredictor> dp;
  ResidualCouplingBlock flow;
  Decoder dec;
  std::optional<Embedding> emb_g;
  std::optional<Embedding> emb_l;
  std::optional<Interpolation> stretch;

  // Takes every tensor that inference needs, and declares those that only training does.
  Vits(const Weights& w, const Config& config);

  // The graphs' inputs and outputs are a contract that other programs rely on; see docs/voices.md.
  std::unique_ptr<Graph> encoder(const Options& options) const;
  std::unique_ptr<Graph> decoder(const Options& options) const;
  std::unique_ptr<Graph> whole(const Options& options) const;
  // The decoder for pieces of a sequence, with all that it keeps from one to the next.
  struct StreamDecoder {
    std::unique_ptr<Graph> graph;
    std::int64_t first_frames =
        0;  // the least that the first piece may have, unless it is the last
  };
  StreamDecoder stream_decoder(const Options& options) const;
  // The same for a batch of pieces of different sequences.
  struct RowStreamDecoder {
    std::unique_ptr<Graph> graph;
    std::int64_t frames_ahead = 0;  // by which samples come late, at most
  };
  RowStreamDecoder row_stream_decoder(const Options& options) const;

  // Frames of context that decoder(options) needs on each side. What the layers tell is compared
  // with what the nodes of the graph tell; fails with kInternal when both differ.
  ReceptiveField receptive_field(const Options& options) const;

 private:
  struct Latent;
  Latent encode(Graph& graph, const Options& options) const;
  // The embedding of the speaker, [b, gin]: the row of emb_g that the input sid chooses, or the
  // input d_vector.
  Value speaker(Graph& graph) const;
  // Whether any part of a decoder takes the speaker's embedding, g, which the encoder then gives.
  bool decoder_takes_speaker(const Options& options) const;
  // The input g of a decoder that takes it.
  std::optional<Value> add_speaker(Graph& graph, const Options& options) const;
  // Without a mask all frames are there. With caches z is a piece of a sequence.
  Value decode(const Value& z, const std::optional<Value>& y_mask, const std::optional<Value>& g,
               const Options& options, Caches* caches = nullptr) const;
  Value log_durations(const TextEncoder::Output& text, const Mask& mask, const Value& input,
                      const Value& noise_w, const std::optional<Value>& g,
                      const std::optional<Value>& language, const Options& options) const;
  // For the decoder, in steps of its own.
  Value stretched(const Value& z, const std::optional<Value>& y_mask, Caches* caches) const;
};

}  // namespace voxport::vits
