#include "serve/resampler.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "serve/refusal.h"
#include "tests/spoken.h"

namespace voxport::resampler_test {
namespace {

Samples sine(double frequency, std::int64_t rate, std::size_t count) {
  Samples samples(count);
  for (std::size_t i = 0; i < count; ++i)
    samples[i] = static_cast<float>(std::sin(2 * std::numbers::pi * frequency *
                                             static_cast<double>(i) / static_cast<double>(rate)));
  return samples;
}

Samples resampled(const Samples& samples, std::int64_t from, std::int64_t to, std::size_t step) {
  Resampler resampler(from, to);
  Samples all;
  const auto add = [&](const Samples& some) { all.insert(all.end(), some.begin(), some.end()); };
  for (std::size_t at = 0; at < samples.size(); at += step)
    add(resampler.push(
        {samples.begin() + static_cast<std::ptrdiff_t>(at),
         samples.begin() + static_cast<std::ptrdiff_t>(std::min(at + step, samples.size()))}));
  add(resampler.finish());
  return all;
}

TEST(Resampler, KeepsTonesThatBothRatesHave) {
  constexpr double kAttenuation = 2e-4;  // of 80 dB, and rounding
  for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{22050, 24000},
                                 {16000, 48000},
                                 {22050, 16000},
                                 {48000, 8000}}) {
    const Samples out = resampled(sine(1000, from, 20000), from, to, 20000);
    EXPECT_EQ(out.size(), static_cast<std::size_t>((20000 * to + from - 1) / from));
    const Samples expected = sine(1000, to, out.size());
    double largest = 0;
    for (std::size_t i = out.size() / 4; i < out.size() * 3 / 4; ++i)  // away from the ends
      largest = std::max(largest, std::abs(static_cast<double>(out[i] - expected[i])));
    EXPECT_LT(largest, kAttenuation) << from << " to " << to;
  }
}

TEST(Resampler, RemovesTonesThatTheLowerRateHasNot) {
  const Samples out = resampled(sine(9000, 22050, 20000), 22050, 16000, 20000);
  for (std::size_t i = out.size() / 4; i < out.size() * 3 / 4; ++i)
    ASSERT_LT(std::abs(out[i]), 1e-3) << i;
}

TEST(Resampler, DoesNotDependOnPieces) {
  const Samples samples = sine(500, 22050, 3000);
  const Samples whole = resampled(samples, 22050, 24000, samples.size());
  for (const std::size_t step : {1U, 7U, 64U, 1000U})
    EXPECT_EQ(distance(resampled(samples, 22050, 24000, step), whole), 0) << step;
  EXPECT_TRUE(resampled({}, 22050, 24000, 1).empty());
}

TEST(Resampler, RefusesRatesWithNothingInCommon) { EXPECT_THROW(Resampler(22050, 47981), Refusal); }

}  // namespace
}  // namespace voxport::resampler_test
