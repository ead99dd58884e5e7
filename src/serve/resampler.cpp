#include "serve/resampler.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "serve/refusal.h"

namespace voxport {
namespace {

constexpr double kZeroCrossings = 32;
constexpr double kBeta = 8;       // of the window, for 80 dB
constexpr double kPassed = 0.95;  // of the band, beyond which the filter falls off
constexpr std::int64_t kMostEntries = 1 << 16;

// The modified Bessel function of the first kind, of order zero, by its series.
double bessel(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > sum * 1e-12; ++k) {
    term *= x * x / (4.0 * k * k);
    sum += term;
  }
  return sum;
}

double sinc(double x) {
  const double angle = std::numbers::pi * x;
  return std::abs(angle) < 1e-9 ? 1 : std::sin(angle) / angle;
}

double window(double x) {  // from -1 to 1
  return std::abs(x) >= 1 ? 0 : bessel(kBeta * std::sqrt(1 - x * x)) / bessel(kBeta);
}

}  // namespace

Resampler::Resampler(std::int64_t from, std::int64_t to)
    : up_(to / std::gcd(from, to)), down_(from / std::gcd(from, to)) {
  const double cut = kPassed * std::min(1.0, static_cast<double>(to) / static_cast<double>(from));
  reach_ = static_cast<std::int64_t>(std::ceil(kZeroCrossings / cut));
  first_ = -reach_;
  if (up_ * 2 * reach_ > kMostEntries)
    refuse(400, "unsupported_sample_rate", "audio of ", from, " Hz cannot be given at ", to, " Hz");
  in_.assign(static_cast<std::size_t>(reach_), 0);  // before the start there is silence
  table_.resize(static_cast<std::size_t>(up_ * 2 * reach_));
  for (std::int64_t phase = 0; phase < up_; ++phase)
    for (std::int64_t tap = 0; tap < 2 * reach_; ++tap) {
      const double at = static_cast<double>(phase) / static_cast<double>(up_) -
                        static_cast<double>(tap - reach_ + 1);
      table_[static_cast<std::size_t>(phase * 2 * reach_ + tap)] =
          static_cast<float>(cut * sinc(cut * at) * window(at / static_cast<double>(reach_)));
    }
}

std::vector<float> Resampler::push(const std::vector<float>& samples) {
  in_.insert(in_.end(), samples.begin(), samples.end());
  came_ += static_cast<std::int64_t>(samples.size());
  return take();
}

std::vector<float> Resampler::finish() {
  in_.resize(in_.size() + static_cast<std::size_t>(reach_) + 1, 0);  // nor is there anything after
  std::vector<float> rest = take();
  const std::int64_t all = (came_ * up_ + down_ - 1) / down_;
  rest.resize(static_cast<std::size_t>(static_cast<std::int64_t>(rest.size()) + all - given_));
  return rest;
}

// Sample n lies at n * down / up, between samples of the input.
std::vector<float> Resampler::take() {
  std::vector<float> out;
  const std::int64_t end = first_ + static_cast<std::int64_t>(in_.size());
  std::int64_t left = 0;
  for (;; ++given_) {
    left = given_ * down_ / up_;
    if (left + reach_ >= end) break;
    const float* const taps = &table_[static_cast<std::size_t>(given_ * down_ % up_ * 2 * reach_)];
    const float* const from = &in_[static_cast<std::size_t>(left - reach_ + 1 - first_)];
    out.push_back(std::inner_product(taps, taps + 2 * reach_, from, 0.0F));
  }
  const std::int64_t done = std::max<std::int64_t>(0, left - reach_ + 1 - first_);
  in_.erase(in_.begin(), in_.begin() + done);
  first_ += done;
  return out;
}

namespace {

class ResamplingEncoder : public AudioEncoder {
 public:
  ResamplingEncoder(std::unique_ptr<AudioEncoder> encoder, std::int64_t from, std::int64_t to)
      : encoder_(std::move(encoder)), from_(from), to_(to) {}

  std::string encode(const std::vector<float>& samples) override {
    return encoder_->encode(resampler().push(samples));
  }
  std::string finish() override {
    const std::string rest = encoder_->encode(resampler().finish());
    return rest + encoder_->finish();
  }

 private:
  // Its table takes milliseconds, which are those of the thread that makes the audio.
  Resampler& resampler() {
    if (!resampler_) resampler_.emplace(from_, to_);
    return *resampler_;
  }

  std::unique_ptr<AudioEncoder> encoder_;
  std::int64_t from_, to_;
  std::optional<Resampler> resampler_;
};

}  // namespace

std::unique_ptr<AudioEncoder> resampling_encoder(const SpeechFormat& format, std::int64_t from,
                                                 std::int64_t to) {
  return std::make_unique<ResamplingEncoder>(format.encoder(to), from, to);
}

}  // namespace voxport
