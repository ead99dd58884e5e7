#include "voice/noise.h"

#include <array>
#include <cmath>

namespace voxport {
namespace {

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): SplitMix64.
class Bits {
 public:
  explicit Bits(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

// Above 0, up to 1.
double unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 1) * 0x1p-53; }

// Marsaglia and Tsang, "The ziggurat method for generating random variables" (2000): the bell is
// covered by layers of equal area, and most points of a layer lie within the bell.
class Ziggurat {
 public:
  Ziggurat() {
    constexpr double kArea = 9.91256303526217e-3;  // of a layer, for 128 of them
    double x = kTail;
    edges_[0] = kArea / density(kTail);  // the lowest is as wide as a box of its area, tail and all
    edges_[1] = kTail;
    for (std::size_t i = 2; i < kLayers; ++i) {
      x = std::sqrt(-2 * std::log(kArea / x + density(x)));
      edges_[i] = x;
    }
    edges_[kLayers] = 0;
  }

  double operator()(Bits& bits) const {
    while (true) {
      const std::uint64_t drawn = bits();
      const auto layer = static_cast<std::size_t>(drawn % kLayers);
      const double sign = (drawn & kLayers) != 0 ? -1 : 1;
      const double x = unit(drawn) * edges_[layer];
      if (x < edges_[layer + 1]) return sign * x;
      if (layer == 0) return sign * tail(bits);
      const double low = density(edges_[layer]);
      const double high = density(edges_[layer + 1]);
      if (low + unit(bits()) * (high - low) < density(x)) return sign * x;
    }
  }

 private:
  static constexpr std::size_t kLayers = 128;
  static constexpr double kTail = 3.442619855899;  // where the lowest layer's tail starts

  static double density(double x) { return std::exp(-x * x / 2); }

  static double tail(Bits& bits) {
    while (true) {
      const double x = -std::log(unit(bits())) / kTail;
      const double y = -std::log(unit(bits()));
      if (2 * y >= x * x) return kTail + x;
    }
  }

  std::array<double, kLayers + 1> edges_{};
};

}  // namespace

std::vector<float> normal_noise(std::uint64_t seed, std::uint64_t utterance, std::size_t count) {
  static const Ziggurat kNormal;
  Bits mixed(seed);
  Bits bits(mixed() ^ Bits(utterance)());
  std::vector<float> noise(count);
  for (float& value : noise) value = static_cast<float>(kNormal(bits));
  return noise;
}

}  // namespace voxport
