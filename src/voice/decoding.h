// Decoding: a latent sequence becomes samples, piece by piece, and the pieces together are what the
// whole would have given.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/session.h"

namespace voxport {

// What an encoder makes of an utterance: the z of a VITS, or a mel spectrogram.
struct Latent {
  Tensor z;                 // [1, channels, frames]
  std::optional<Tensor> g;  // [1, gin, 1], where there are speakers

  std::int64_t frames() const { return z.shape[2]; }
};

// Of the outputs of a VITS' encoder: z, and g where there are speakers.
Latent latent_of(const Tensors& encoded);

// One utterance on its way.
class Decoding {
 public:
  virtual ~Decoding() = default;
  // Frames that have not been asked for.
  virtual std::int64_t frames_left() const = 0;
  // The samples of about so many more frames, at least one; of all that are left when there are no
  // more. Asks for frames that are left.
  virtual std::vector<float> next(std::int64_t frames) = 0;
};

// A loaded decoder. May be used by many threads at once.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual std::unique_ptr<Decoding> start(Latent latent) const = 0;
};

// What a kind of decoder calls its inputs and outputs.
struct DecoderPorts {
  const char* latent;
  const char* mask;  // of ones; null where there is none
  const char* samples;
};
inline constexpr DecoderPorts kVitsPorts = {"z", "y_mask", "output"};
inline constexpr DecoderPorts kVocoderPorts = {"mel", nullptr, "audio"};

// decoder.onnx or vocoder.onnx: each piece is decoded with as many frames to each side as its
// samples depend on.
class ContextDecoder : public Decoder {
 public:
  // Asks for those ports, maybe an input g, and hop_length samples for each frame.
  ContextDecoder(Session session, const DecoderPorts& ports, std::int64_t left, std::int64_t right,
                 std::int64_t hop_length);
  std::unique_ptr<Decoding> start(Latent latent) const override;

 private:
  Session session_;
  DecoderPorts ports_;
  std::int64_t left_, right_, hop_length_;
};

// decoder_stream.onnx or vocoder_stream.onnx: what the next piece needs of this one is kept.
class CachedDecoder : public Decoder {
 public:
  // Fails with kUnsupported when the states are not those of such a graph.
  CachedDecoder(Session session, const DecoderPorts& ports);
  std::unique_ptr<Decoding> start(Latent latent) const override;

 private:
  Session session_;
  DecoderPorts ports_;
  Tensors first_states_;
  std::int64_t first_frames_;
};

}  // namespace voxport
