#include "arch/blocks/istft.h"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "arch/blocks/hifigan.h"
#include "arch/blocks/layers.h"
#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"

namespace voxport {
namespace {

// A turn in n parts.
std::vector<double> angles_of(std::int64_t n) {
  std::vector<double> angles;
  for (std::int64_t i = 0; i < n; ++i)
    angles.push_back(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  return angles;
}

// In float32, as PyTorch has it.
std::vector<float> hann_window(std::int64_t n) {
  std::vector<float> window;
  for (const double angle : angles_of(n))
    window.push_back(static_cast<float>(0.5 - 0.5 * std::cos(angle)));
  return window;
}

// Rows of the real parts, then of the imaginary ones. The first and the last frequency, whose sines
// are 0, stand for themselves, each of the others for two.
std::vector<float> windowed_inverse_dft(std::int64_t n) {
  const std::vector<double> angles = angles_of(n);
  const std::vector<float> window = hann_window(n);
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>((n + 2) * n));
  for (const bool is_real : {true, false}) {
    for (std::int64_t k = 0; k <= n / 2; ++k) {
      const double factor = k == 0 || k == n / 2 ? 1 : 2;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(k * i % n);
        const double wave = is_real ? std::cos(angles[at]) : -std::sin(angles[at]);
        values.push_back(static_cast<float>(factor * wave * window[static_cast<std::size_t>(i)] /
                                            static_cast<double>(n)));
      }
    }
  }
  return values;
}

// The real parts and behind them the imaginary ones.
Value parts_of(const Value& magnitude, const Value& phase, std::int64_t axis) {
  const Value real = magnitude * Builder(phase.graph()).node("Cos", {phase});
  return concat({real, magnitude * sin(phase)}, axis);
}

}  // namespace

InverseStft::InverseStft(std::string its_path, std::int64_t its_n_fft, std::int64_t its_hop)
    : path(std::move(its_path)),
      n_fft(its_n_fft),
      hop(its_hop),
      basis(
          computed_tensor({n_fft + 2, 1, n_fft}, [n = n_fft] { return windowed_inverse_dft(n); })),
      squares(computed_tensor({1, 1, n_fft}, [n = n_fft] {
        std::vector<float> window = hann_window(n);
        for (float& value : window) value *= value;
        return window;
      })) {}

Value InverseStft::operator()(const Value& magnitude, const Value& phase) const {
  Builder g(magnitude.graph());
  const Graph::Scope scope(g.graph(), path);
  const auto added = [&](const Value& frames, const Value& weight) {
    using Ints = std::vector<std::int64_t>;
    return g.node("ConvTranspose", {frames, weight},
                  {{"kernel_shape", Ints{n_fft}},
                   {"strides", Ints{hop}},
                   {"pads", Ints{n_fft / 2, n_fft / 2}}});
  };
  const Value sum = added(parts_of(magnitude, phase, kChannels), g.constant("basis", basis));
  const Value each_frame =
      g.node("ConstantOfShape", {concat({int64s(magnitude, {1, 1}), size(magnitude, kTime)}, 0)},
             {{"value", tensor_of({1}, {1.0F})}});
  return sum / added(each_frame, g.constant("squares", squares));
}

// Each subband is a group of channels. Where the frames of a row have not begun or are over, there
// are no windows to divide by.
Value InverseStft::operator()(const Value& magnitude, const Value& phase, RowCaches& rows) const {
  constexpr double kLeastWindow = 1e-11;  // which torch.istft requires
  const Graph::Scope scope(magnitude.graph(), path);
  const std::int64_t subbands = *magnitude.dim(1).constant();
  const auto added = [&](const Value& frames, const Tensor& weight, std::int64_t groups) {
    hifigan::Upsampling overlapped(path, weight, hop, groups);
    overlapped.padding = n_fft / 2;
    return overlapped(frames, &rows);
  };
  const Value frames = reshape(parts_of(magnitude, phase, 2), {0, subbands * (n_fft + 2), -1});
  const Value windows = added(rows.ones(frames), squares, 1);
  return added(frames, joined(std::vector<Tensor>(static_cast<std::size_t>(subbands), basis), 0),
               subbands) /
         maximum(windows, kLeastWindow);
}

Steps InverseStft::needed(const Steps& samples) const {
  return needed_by_conv_transpose(samples, n_fft - 1, hop, n_fft / 2);
}

}  // namespace voxport
