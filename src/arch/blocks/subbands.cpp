#include "arch/blocks/subbands.h"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "arch/blocks/hifigan.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport {
namespace {

using std::numbers::pi;

constexpr double kCutoff = 0.15;  // of half the sample rate
constexpr double kBeta = 9;

// A lowpass, an ideal one through a Kaiser window.
std::vector<double> prototype() {
  std::vector<double> taps;
  const double half = (kPqmfTaps - 1) / 2.0;
  for (std::int64_t i = 0; i < kPqmfTaps; ++i) {
    const double x = static_cast<double>(i) - half;
    const double ideal = x == 0 ? kCutoff : std::sin(pi * kCutoff * x) / (pi * x);
    const double at = x / half;
    const double window =
        std::cyl_bessel_i(0, kBeta * std::sqrt(1 - at * at)) / std::cyl_bessel_i(0, kBeta);
    taps.push_back(ideal * window);
  }
  return taps;
}

// By which a subband is shifted up to its place.
double shift(std::int64_t band, std::int64_t subbands, std::int64_t tap) {
  const double angle = static_cast<double>(2 * band + 1) * pi / static_cast<double>(2 * subbands) *
                       (static_cast<double>(tap) - (kPqmfTaps - 2) / 2.0);
  return 2 * std::cos(angle - (band % 2 == 0 ? pi : -pi) / 4);
}

// 1 at once and nothing after it, from each subband to itself.
Tensor zeros_between(std::int64_t subbands) {
  const auto n = static_cast<std::size_t>(subbands);
  std::vector<float> values(n * n * n);
  for (std::size_t i = 0; i < n; ++i) values[(i * n + i) * n] = 1;
  return tensor_of({subbands, subbands, subbands}, values);
}

// A transposed convolution with `updown`, times the number of subbands, and a convolution with
// `filter`, as one transposed convolution.
std::vector<float> folded(const Tensor& filter, const Tensor& updown) {
  const std::vector<float> taps = to_float32(filter);
  const std::vector<float> stretched = to_float32(updown);
  const auto n = static_cast<std::size_t>(filter.shape[1]);
  const auto count = static_cast<std::size_t>(filter.shape[2]);
  const std::size_t width = count + n - 1;
  std::vector<double> sums(n * width);
  for (std::size_t i = 0; i < stretched.size(); ++i) {
    if (stretched[i] == 0) continue;
    const std::size_t from = i / n / n;
    const std::size_t to = i / n % n;
    const double factor = static_cast<double>(n) * stretched[i];
    for (std::size_t k = 0; k < count; ++k)
      sums[from * width + i % n + count - 1 - k] += factor * taps[to * count + k];
  }
  return {sums.begin(), sums.end()};
}

}  // namespace

Tensor pqmf_synthesis_filter(std::int64_t subbands) {
  const std::vector<double> lowpass = prototype();
  std::vector<float> values;
  for (std::int64_t band = 0; band < subbands; ++band)
    for (std::int64_t tap = 0; tap < kPqmfTaps; ++tap)
      values.push_back(
          static_cast<float>(lowpass[static_cast<std::size_t>(tap)] * shift(band, subbands, tap)));
  return tensor_of({1, subbands, kPqmfTaps}, values);
}

SubbandSynthesis::SubbandSynthesis(std::string its_path, const Tensor& filter, const Tensor& updown)
    : path(std::move(its_path)),
      subbands(filter.shape[1]),
      padding((filter.shape[2] - 1) / 2),
      weight(computed_tensor({subbands, 1, filter.shape[2] + subbands - 1},
                             [filter, updown] { return folded(filter, updown); })) {}

SubbandSynthesis SubbandSynthesis::of_pqmf(const Weights& w, std::int64_t subbands,
                                           std::int64_t taps) {
  if (!w.has_any()) return {w.path(), pqmf_synthesis_filter(subbands), zeros_between(subbands)};
  w.ignore("analysis_filter");  // for training only
  return {w.path(), w.tensor("synthesis_filter", {1, subbands, taps}),
          w.tensor("updown_filter", {subbands, subbands, subbands})};
}

SubbandSynthesis SubbandSynthesis::of_streams(const Weights& w, std::int64_t subbands,
                                              std::int64_t taps) {
  const Weights post = w / "multistream_conv_post";
  return {post.path(), post.tensor("weight", {1, subbands, taps}),
          w.tensor("updown_filter", {subbands, subbands, subbands})};
}

Value SubbandSynthesis::operator()(const Value& x) const {
  Builder g(x.graph());
  const Graph::Scope scope(g.graph(), path);
  using Ints = std::vector<std::int64_t>;
  return g.node("ConvTranspose", {x, g.constant("weight", weight)},
                {{"kernel_shape", Ints{weight.shape[2]}},
                 {"strides", Ints{subbands}},
                 {"pads", Ints{padding, padding}}});
}

Value SubbandSynthesis::operator()(const Value& x, RowCaches& rows) const {
  hifigan::Upsampling filter(path, weight, subbands, 1);
  filter.padding = padding;
  return filter(x, &rows);
}

Steps SubbandSynthesis::needed(const Steps& samples) const {
  return needed_by_conv_transpose(samples, weight.shape[2] - 1, subbands, padding);
}

}  // namespace voxport
