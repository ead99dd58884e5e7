// TextGraph: the graph that ids of phonemes go into. What comes out is on its way to audio, or is
// audio. One class for each kind of voice.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/session.h"
#include "voice/decoding.h"

namespace voxport {

// In which manner an utterance is spoken. A kind of voice heeds what it has.
struct Manner {
  std::int64_t speaker = 0;
  std::int64_t language = 0;
  double length_scale = 1;  // how long everything lasts
  // VITS
  double noise_scale = 0.667;  // how far the sound strays from the most likely one
  double noise_w = 0.8;        // how far durations stray
  std::uint64_t seed = 0;
  // FastSpeech2
  double pitch = 1;
  double energy = 1;

  // How many times as long as by itself everything lasts, at most, about. Durations are
  // exponentials of what noise_w scales: the bundled voice takes 1.3 times as long at 1.5, and up
  // to 500 times at 4.
  double lengthening() const {
    constexpr double kHarmless = 1.5;
    constexpr double kGrowth = 2.5;
    return length_scale * std::exp(kGrowth * std::max(0.0, noise_w - kHarmless));
  }
};

// What became of the ids of an utterance.
struct Encoded {
  std::optional<Latent> latent;  // for a decoder; none where there are samples already
  std::vector<float> samples;
  std::vector<float> durations;  // whole frames of each id; none where the graph does not tell
};

class TextGraph {
 public:
  virtual ~TextGraph() = default;

  const Session& session() const { return session_; }
  virtual bool has_speakers() const = 0;
  virtual bool has_languages() const { return false; }
  // Whether the same seed gives the same outputs.
  virtual bool is_repeatable() const = 0;

  // One row of ids. `utterance` is its number, by which noise differs. May be called by many
  // threads at once.
  virtual Encoded operator()(const std::vector<std::int64_t>& ids, const Manner& manner,
                             std::uint64_t utterance) const = 0;

 protected:
  explicit TextGraph(Session session) : session_(std::move(session)) {}

 private:
  Session session_;
};

}  // namespace voxport
