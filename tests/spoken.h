// What a voice said, all pieces put together.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <voxport/speak.h>

namespace voxport {

using Samples = std::vector<float>;

struct Spoken {
  Samples samples;
  std::vector<SpokenSentence> sentences;
  std::size_t pieces = 0;
};

inline Spoken all_of(Stream stream) {
  Spoken spoken;
  while (const std::optional<AudioPiece> piece = stream.next()) {
    spoken.samples.insert(spoken.samples.end(), piece->samples.begin(), piece->samples.end());
    if (piece->starts) spoken.sentences.push_back(*piece->starts);
    ++spoken.pieces;
  }
  return spoken;
}

// The largest difference; infinite where one is longer, or not a number.
inline double distance(const Samples& a, const Samples& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(apart <= largest)) largest = std::isnan(apart) ? INFINITY : apart;
  }
  return largest;
}

}  // namespace voxport
