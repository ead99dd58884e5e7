#include <algorithm>
#include <limits>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/time_convolution.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

// Which channel of the convolution makes sample `phase` of each group of `rate` of channel `out` of
// `outs`. With rows the phases are apart, as channels that are last take turns; else channels are.
std::size_t place_of(std::size_t out, std::size_t phase, std::size_t outs, std::size_t rate,
                     bool has_rows) {
  return has_rows ? phase * outs + out : out * rate + phase;
}

// The taps of a transposed convolution of stride `rate`, by the phase of the output sample they
// end in: [out * rate, in, taps].
std::vector<float> phase_taps(const Tensor& weight, std::int64_t rate, bool has_rows) {
  const std::vector<float> w = to_float32(weight);
  const auto in = static_cast<std::size_t>(weight.shape[0]);
  const auto out = static_cast<std::size_t>(weight.shape[1]);
  const auto kernel = static_cast<std::size_t>(weight.shape.back());
  const auto phases = static_cast<std::size_t>(rate);
  const std::size_t taps = (kernel + phases - 1) / phases;
  std::vector<float> to(out * phases * in * taps, 0.0F);
  for (std::size_t i = 0; i < in; ++i) {
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t k = 0; k < kernel; ++k) {
        const std::size_t row = place_of(o, k % phases, out, phases, has_rows);
        const std::size_t tap = taps - 1 - k / phases;  // a convolution looks forwards
        to[(row * in + i) * taps + tap] = w[(i * out + o) * kernel + k];
      }
    }
  }
  return to;
}

Tensor repeated(const Tensor& bias, std::int64_t times, bool has_rows) {
  return computed_tensor({bias.shape[0] * times}, [bias, times, has_rows] {
    const std::vector<float> from = to_float32(bias);
    const auto rate = static_cast<std::size_t>(times);
    std::vector<float> all(from.size() * rate);
    for (std::size_t o = 0; o < from.size(); ++o)
      for (std::size_t q = 0; q < rate; ++q)
        all[place_of(o, q, from.size(), rate, has_rows)] = from[o];
    return all;
  });
}

// What is cut off at an end of the samples: whole steps, which are not computed, and the rest.
struct Cut {
  std::int64_t steps, samples;

  Cut(std::int64_t all, std::int64_t rate, std::int64_t most_steps)
      : steps(std::min(all / rate, most_steps)), samples(all - steps * rate) {}
};

// The convolution that makes all phases: [b, out * rate, steps], or with rows before the steps.
Value convolve_phases(const Node& node, const TimeConvolution& up, const Cut& start, const Cut& end,
                      std::int64_t taps) {
  Builder g(node.input(0).graph());
  const bool has_rows = node.input(0).rank() == 4;
  const std::int64_t in = up.weight.shape[0];
  const std::int64_t out = up.weight.shape[1] * up.stride;
  const Tensor weight = computed_tensor(
      has_rows ? Ints{out, in, 1, taps} : Ints{out, in, taps},
      [from = up.weight, rate = up.stride, has_rows] { return phase_taps(from, rate, has_rows); });
  std::vector<Value> inputs = {node.input(0), g.constant("weight", weight)};
  if (up.bias) inputs.push_back(g.constant("bias", repeated(*up.bias, up.stride, has_rows)));
  const std::int64_t before = taps - 1 - start.steps;
  const std::int64_t after = taps - 1 - end.steps;
  return g.node("Conv", std::move(inputs),
                {{"kernel_shape", has_rows ? Ints{1, taps} : Ints{taps}},
                 {"strides", has_rows ? Ints{1, 1} : Ints{1}},
                 {"dilations", has_rows ? Ints{1, 1} : Ints{1}},
                 {"pads", has_rows ? Ints{0, before, 0, after} : Ints{before, after}},
                 {"group", std::int64_t{1}}});
}

// [b, out * rate, t] -> [b, out, t * rate], and the same with rows before t, without so many
// samples at the start and the end. ONNX Runtime leaves its blocks of channels for channels that
// are last, and enters them again, at the least cost.
Value take_turns(const Value& phases, std::int64_t out, std::int64_t rate, std::int64_t start,
                 std::int64_t end) {
  const auto cut = [&](const Value& x, std::int64_t axis) {
    return start == 0 && end == 0 ? x : slice(x, axis, start, end == 0 ? kEnd : -end);
  };
  if (phases.rank() == 3) {
    const Value turns = transpose(reshape(phases, {0, out, rate, -1}), {0, 1, 3, 2});
    return cut(reshape(turns, {0, out, -1}), kTimeAxis);
  }
  const Value turns = reshape(transpose(phases, {0, 2, 3, 1}), {0, 0, -1, out});
  return transpose(cut(turns, 2), {0, 3, 1, 2});
}

std::optional<Value> by_phases(const Node& node, Graph& graph) {
  const std::optional<TimeConvolution> up = time_convolution(node);
  if (!up || !is_worth_phases(*up)) return std::nullopt;
  const std::int64_t taps = (up->kernel + up->stride - 1) / up->stride;
  const std::int64_t excess = taps * up->stride - up->kernel + up->pad_after - up->output_padding;
  const Graph::Scope scope(graph, module_of(node));
  const Cut start(up->pad_before, up->stride, taps - 1);
  const Cut end(excess, up->stride, taps - 1);
  const Value phases = convolve_phases(node, *up, start, end, taps);
  return take_turns(phases, up->weight.shape[1], up->stride, start.samples, end.samples);
}

}  // namespace

// ConvTranspose(x, w) stride r -> Slice(take_turns(Conv(x, w'))), where w' has r times the
// channels:
//
//   sample  s*r   s*r+1  ...  s*r+r-1      phase 0:  s*r, (s+1)*r, ...    channel o*r of Conv
//   each a sum over x[s], x[s-1], ...      phase 1:  s*r+1, ...           channel o*r+1
//
// The phases then take turns, and what the padding would have cut off is cut off. The same work
// without ConvTranspose's scattered additions. Left alone where more than a fifth of the taps would
// be empty.
bool upsample_by_phases(Graph& graph) {
  return rewrite_each(graph, "ConvTranspose",
                      [&](const Node& node) { return by_phases(node, graph); });
}

}  // namespace voxport
