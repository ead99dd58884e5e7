#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/for_onnxruntime/expected_sizes.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/time_convolution.h"
#include "passes/for_onnxruntime/toom_cook.h"
#include "passes/for_onnxruntime/uses.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kStep = ToomCook::kOutputs;

// The steps that a convolution makes of each step of the graph's input, times its channels: at
// least. ONNX Runtime computes the values of its weight when it loads the graph, and copies them
// twice, which takes as long as using each of them some hundred times; and the more channels there
// are to sum over, the larger is the part of the products that is saved. A graph of pieces is
// loaded while somebody waits for the first of them.
constexpr double kLeastUse = 2048;
constexpr double kLeastUseInPieces = 4096;

// The taps that one step takes. More of them are several steps, whose distance is that of four
// outputs.
std::int64_t taps_of_step(std::int64_t kernel) {
  return kernel <= ToomCook::kMaxTaps ? kernel : kStep;
}

// What is saved in products must outweigh what is read and written more often, which is the same
// for each channel, however many there are to sum over. Measured in decoders, with one thread: see
// docs/performance.md.
struct Threshold {
  std::int64_t kernel;    // up to
  std::int64_t channels;  // at least, of the input and the output
};

constexpr std::int64_t kMinKernel = 3;

bool is_worth_it(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  constexpr Threshold kThresholds[] = {{4, 192}, {10, 128}, {12, 64}};
  const auto* found = std::ranges::find_if(
      kThresholds, [&](const Threshold& threshold) { return kernel <= threshold.kernel; });
  return kernel >= kMinKernel && found != std::end(kThresholds) &&
         std::min(in, out) >= found->channels;
}

// Places in the four outputs of each step, t = 4 * step + dilation * j, j = 0..3, for odd
// dilations: each of the four phases of t, once.
struct Places {
  std::int64_t dilation;

  std::int64_t phase(std::int64_t j) const { return dilation * j % kStep; }
  std::int64_t steps_ahead(std::int64_t j) const { return dilation * j / kStep; }
  std::int64_t most_ahead() const { return steps_ahead(kStep - 1); }
  // The output that has the phase.
  std::int64_t output_of(std::int64_t wanted) const {
    std::int64_t j = 0;
    while (phase(j) != wanted) ++j;
    return j;
  }
};

// A convolution that can be brought into the form.
struct Convolution : TimeConvolution {
  explicit Convolution(const TimeConvolution& conv)
      : TimeConvolution(conv), in(weight.shape[1]), out(weight.shape[0]) {}

  std::int64_t in, out;
  std::int64_t taps() const { return taps_of_step(kernel); }
  std::int64_t steps() const { return (kernel + taps() - 1) / taps(); }
  Places places() const { return {dilation}; }
};

std::optional<Convolution> convolution_of(const Node& node) {
  if (node.op() != "Conv") return std::nullopt;
  const std::optional<TimeConvolution> conv = time_convolution(node);
  if (!conv || node.input(0).rank() != 4 || conv->stride != 1 || conv->group != 1)
    return std::nullopt;
  const Convolution made(*conv);
  const bool fills_blocks = made.in % kBlock == 0 && made.out % kBlock == 0;
  const bool has_all_phases = made.dilation % 2 == 1;
  const bool is_padded = made.pad_before >= 0 && made.pad_after >= 0;
  const bool is_good =
      fills_blocks && has_all_phases && is_padded && is_worth_it(made.in, made.out, made.kernel);
  return is_good ? std::optional(made) : std::nullopt;
}

Attributes attributes_of(std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                         std::int64_t before, std::int64_t after, std::int64_t group) {
  return {{"kernel_shape", Ints{1, kernel}},
          {"strides", Ints{1, stride}},
          {"dilations", Ints{1, dilation}},
          {"pads", Ints{0, before, 0, after}},
          {"group", group}};
}

// [points, kernel, steps]: what each step's value at each point takes of each tap.
Tensor taps_to_values(const ToomCook& toom, const Convolution& conv) {
  const auto points = static_cast<std::int64_t>(toom.points());
  std::vector<float> values(static_cast<std::size_t>(points * conv.kernel * conv.steps()), 0.0F);
  for (std::int64_t i = 0; i < points; ++i)
    for (std::int64_t k = 0; k < conv.kernel; ++k)
      values[static_cast<std::size_t>((i * conv.kernel + k) * conv.steps() + k / conv.taps())] =
          static_cast<float>(
              toom.taps[static_cast<std::size_t>(i)][static_cast<std::size_t>(k % conv.taps())]);
  return tensor_of({points, conv.kernel, conv.steps()}, values);
}

class ByPoints {
 public:
  explicit ByPoints(Graph& graph) : graph_(graph), uses_(graph), sizes_(graph) {}

  bool run() {
    bool changed = false;
    for (const Node& node : graph_.nodes()) {
      const std::optional<Convolution> conv = convolution_of(node);
      if (!conv || !is_used_enough(node, *conv)) continue;
      const Graph::Scope scope(graph_, module_of(node));
      graph_.replace(node.output(), rewritten(node, *conv));
      changed = true;
    }
    return changed;
  }

 private:
  Value rewritten(const Node& node, const Convolution& conv) {
    const ToomCook toom(conv.taps());
    const Value values = values_of_input(node.input(0), conv, toom);
    const Value y = outputs_of(products_of(values, conv, toom), conv, toom);
    const Value cut = y.dim(kRowAxis) == node.output().dim(kTimeAxis)
                          ? y
                          : slice(y, kRowAxis, int64s(y, {0}), length_of(node, conv));
    const Value first = transpose(cut, {0, 3, 1, 2});
    return is_kept_in_blocks(node.output()) ? in_blocks(first, conv.out) : first;
  }

  bool is_used_enough(const Node& node, const Convolution& conv) const {
    const auto weight = static_cast<double>(conv.in * conv.out * conv.kernel);
    const double stretch = sizes_.work_of(node) / weight / static_cast<double>(sizes_.of_input());
    return stretch * static_cast<double>(std::min(conv.in, conv.out)) >=
           (sizes_.are_of_pieces() ? kLeastUseInPieces : kLeastUse);
  }

  // [b, points * in, rows, steps]: for each point, a convolution of each channel by itself.
  // Convolutions of one value share them.
  Value values_of_input(const Value& x, const Convolution& conv, const ToomCook& toom) {
    const auto points = static_cast<std::int64_t>(toom.points());
    const std::int64_t reach = conv.dilation * (points - conv.kernel);
    const std::int64_t before = conv.pad_before + kStep * conv.places().most_ahead();
    const std::int64_t after = conv.pad_after + reach + kStep * conv.dilation * (conv.steps() - 1);
    Value& values = values_[{x.name(), conv.taps(), conv.dilation, before, after}];
    if (values) return values;
    std::vector<Value> parts;
    for (const std::vector<double>& row : toom.inputs)
      parts.push_back(Builder(graph_).node(
          "Conv", {x, of_each_channel("points", conv.in, row)},
          attributes_of(points, kStep, conv.dilation, before, after, conv.in)));
    values = concat(std::move(parts), kChannelAxis);
    return values;
  }

  // [b, points * out, rows, steps], the bias in what is part of every output.
  Value products_of(const Value& values, const Convolution& conv, const ToomCook& toom) {
    Builder g(graph_);
    const auto points = static_cast<std::int64_t>(toom.points());
    const Value taps =
        g.constant("weight", reshaped(conv.weight, {conv.out * conv.in, conv.kernel}));
    const Value at_points = matmul(taps, g.constant("taps", taps_to_values(toom, conv)));
    std::vector<Value> inputs = {values,
                                 reshape(at_points, {points * conv.out, conv.in, 1, conv.steps()})};
    if (conv.bias) inputs.push_back(g.constant("bias", bias_of_products(conv, points)));
    return Builder(graph_).node("Conv", std::move(inputs),
                                attributes_of(conv.steps(), 1, conv.dilation, 0, 0, points));
  }

  static Tensor bias_of_products(const Convolution& conv, std::int64_t points) {
    return computed_tensor({points * conv.out}, [bias = *conv.bias, points, out = conv.out] {
      std::vector<float> values(static_cast<std::size_t>(points * out), 0.0F);
      std::ranges::copy(to_float32(bias),
                        values.begin() + static_cast<std::ptrdiff_t>(ToomCook::kAtOne) * out);
      return values;
    });
  }

  // [b, rows, 4 * steps, out].
  Value outputs_of(const Value& products, const Convolution& conv, const ToomCook& toom) {
    const Places places = conv.places();
    const auto points = static_cast<std::int64_t>(toom.points());
    std::vector<float> matrix;  // [phase, point]
    for (std::int64_t phase = 0; phase < kStep; ++phase) {
      const auto& row = toom.outputs[static_cast<std::size_t>(places.output_of(phase))];
      matrix.insert(matrix.end(), row.begin(), row.end());
    }
    const Value last = reshape(transpose(products, {0, 2, 3, 1}), {0, 0, 0, points, conv.out});
    Value y = matmul(Builder(graph_).constant("outputs", tensor_of({kStep, points}, matrix)), last);
    if (places.most_ahead() > 0) y = in_time(y, places);  // [b, rows, steps, 4, out]
    return reshape(y, {0, 0, -1, conv.out});
  }

  // Each phase from the step that made it.
  static Value in_time(const Value& y, const Places& places) {
    std::vector<Value> phases;
    for (std::int64_t phase = 0; phase < kStep; ++phase) {
      const std::int64_t ahead = places.steps_ahead(places.output_of(phase));
      const std::int64_t end = ahead == 0 ? std::numeric_limits<std::int64_t>::max() : -ahead;
      Builder g(y.graph());
      phases.push_back(g.node("Slice", {y, g.int64s({places.most_ahead() - ahead, phase}),
                                        g.int64s({end, phase + 1}), g.int64s({2, 3})}));
    }
    return concat(std::move(phases), 3);
  }

  // Of the output, where it is no multiple of four.
  Value length_of(const Node& node, const Convolution& conv) {
    const Value x = node.input(0);
    const std::int64_t more = conv.pad_before + conv.pad_after - conv.dilation * (conv.kernel - 1);
    Value& length = lengths_[{x.name(), more}];
    if (length) return length;
    Builder g(graph_);
    length = g.node("Shape", {x}, {{"start", std::int64_t{3}}, {"end", std::int64_t{4}}});
    if (more != 0) length = length + int64s(x, {more});
    return length;
  }

  // Sums and activations join the convolution before them; without one they would leave the
  // blocks.
  bool is_kept_in_blocks(const Value& output) const {
    return std::ranges::any_of(uses_.of(output), [](const Node& user) {
      return user.op() == "Add" || user.op() == "LeakyRelu" || user.op() == "Relu";
    });
  }

  Value in_blocks(const Value& x, std::int64_t channels) {
    return Builder(graph_).node("Conv", {x, of_each_channel("pass_through", channels, {1})},
                                attributes_of(1, 1, 1, 0, 0, channels));
  }

  // [channels, 1, 1, taps]: a convolution of each channel by itself, the same of all.
  Value of_each_channel(const char* name, std::int64_t channels, const std::vector<double>& taps) {
    Value& weight = of_each_channel_[{channels, taps}];
    if (weight) return weight;
    std::vector<float> values;
    for (std::int64_t c = 0; c < channels; ++c)
      values.insert(values.end(), taps.begin(), taps.end());
    weight = Builder(graph_).constant(
        name, tensor_of({channels, 1, 1, static_cast<std::int64_t>(taps.size())}, values));
    return weight;
  }

  Graph& graph_;
  Uses uses_;
  ExpectedSizes sizes_;
  // By the input, the taps of a step, the dilation and the padding.
  std::map<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>, Value>
      values_;
  std::map<std::pair<std::string, std::int64_t>, Value>
      lengths_;  // by the input and what it has more
  std::map<std::pair<std::int64_t, std::vector<double>>, Value> of_each_channel_;
};

}  // namespace

// Conv(x, w) of many channels -> fewer products of the same channels, by the points of Toom and
// Cook (toom_cook.h): four neighbouring outputs of r taps take r + 3 products in place of 4 r.
//
//              x [b, in, rows, t]
//        .-----+-----+---- ... -.          a convolution of each channel by itself for each point,
//       v0    v1    v2   ...   vn          of stride 4: [b, in, rows, t / 4]
//        '-----+--Concat-- ... -'
//   w - MatMul - Conv group=n              the products, of all channels: [b, n * out, rows, t / 4]
//                 |
//               MatMul                     four sums of the products: [b, rows, t / 4, 4, out]
//                 |
//               Reshape - y                which take turns
//
// A kernel of more than five taps is cut into steps of four, which are taps of the products'
// convolution: step s of the output 4 * i + j is what step 0 is of the output 4 * (i + s) + j. With
// an odd dilation d the outputs of a step are 4 * i + d * j, j = 0..3, which are all phases of
// four; each phase is taken from as many steps before as d * j has passed. Even dilations would
// leave phases empty.
//
// The length need not be a multiple of four: there are enough steps to cover it, what is read
// beyond the end is zero, and what is made beyond it is cut off. The file has the weight as it is;
// its values at the points are a MatMul of constants, which ONNX Runtime computes when it loads the
// graph. The bias is in the products at the point 1, which are part of every output once.
//
// Only where it is faster: see is_worth_it() and is_used_enough(). The result
// differs from the plain one as sums in another order do.
bool convolve_by_points(Graph& graph) { return ByPoints(graph).run(); }

}  // namespace voxport
