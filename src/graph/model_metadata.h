// What our models say of themselves: the keys voxport.* of a model's metadata. Written and read by
// this type alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace voxport {

// How many frames to the left and to the right of a frame its samples depend on.
struct ReceptiveField {
  std::int64_t left = 0;
  std::int64_t right = 0;
};

// What holds for the sizes of an axis, where anything but the name is known of it.
struct AxisFact {
  std::string axis;
  std::optional<std::int64_t> min = std::nullopt;
  std::optional<std::int64_t> max = std::nullopt;
  std::optional<std::int64_t> multiple = std::nullopt;  // only multiples of it run
  std::string not_below = {};                           // another axis
  std::string equals = {};                              // an expression of other axes: 256*frames
};

struct ModelMetadata {
  using Entries = std::vector<std::pair<std::string, std::string>>;

  std::string version;       // of voxport
  std::string architecture;  // "vits", "fastspeech2", "hifigan", "program"
  std::string graph;         // what it is in an export: "encoder", "stream_decoder"
  std::vector<AxisFact> axes;
  std::optional<std::int64_t> hop_length;  // samples of a frame
  std::optional<ReceptiveField> receptive_field;
  std::optional<std::int64_t> sample_rate;
  std::optional<std::int64_t> mel_channels;
  std::optional<std::int64_t> symbols;
  std::optional<std::int64_t> speakers;
  std::optional<std::int64_t> languages;
  std::string energy_control;                // "own" or "pitch"
  std::string padding;                       // "silent" or "heard"
  std::string duration_control;              // "rounded" or "truncated"
  std::string source_sha256;                 // of the checkpoint it was made of
  std::optional<std::int64_t> first_frames;  // that the first piece of a stream must have
  std::optional<std::int64_t> threads;       // that have work in a run; see useful_threads()

  // In the order above; what is not set is left out.
  Entries entries() const;

  // Of any model, which may say anything: what is not there, or is none of the above, is not set.
  // Numbers are above 0, and no larger than kMost.
  static ModelMetadata read(const std::map<std::string, std::string>& metadata);
  static ModelMetadata read(const Entries& metadata);
  static constexpr std::int64_t kMost = 1 << 24;
};

}  // namespace voxport
