// TextGraph: the graph that ids of phonemes go into. An encoder, from which a latent sequence comes
// that a decoder makes audible, or a whole voice.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/session.h"

namespace voxport {

// In which manner an utterance is spoken.
struct Manner {
  double noise_scale = 0.667;  // how far the sound strays from the most likely one
  double length_scale = 1;     // how long everything lasts
  double noise_w = 0.8;        // how far durations stray
  std::int64_t speaker = 0;
  std::uint64_t seed = 0;
};

class TextGraph {
 public:
  // Inputs are those of Piper: input, input_lengths, scales, and sid where there are speakers. Its
  // noise may come in, by the names of noise_copy() or of a graph that was exported with noise as
  // inputs. Fails with kUnsupported when it asks for anything else.
  explicit TextGraph(Session session);

  bool has_speakers() const { return has_speakers_; }
  // Whether the same seed gives the same outputs.
  bool is_repeatable() const { return has_noise_; }
  const Session& session() const { return session_; }

  // All outputs, for one row of ids. `utterance` is its number, by which noise differs.
  Tensors operator()(const std::vector<std::int64_t>& ids, const Manner& manner,
                     std::uint64_t utterance) const;

 private:
  Tensors inputs_of(const std::vector<std::int64_t>& ids, const Manner& manner) const;
  void add_noise(Tensors& inputs, const Manner& manner, std::uint64_t utterance,
                 std::int64_t frames) const;
  const PortInfo* find(std::string_view name) const;
  // Of the latent sequence, whose noise it is.
  std::int64_t channels() const;

  Session session_;
  bool has_speakers_ = false;
  bool has_noise_ = false;  // comes in
};

}  // namespace voxport
