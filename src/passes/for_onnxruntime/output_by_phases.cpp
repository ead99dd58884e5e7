#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/time_convolution.h"
#include "passes/for_onnxruntime/uses.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

// ONNX Runtime would compute a block of channels and throw away all but one.
constexpr std::int64_t kPhases = kBlock;

// [1, in, 1, kernel] -> [phases, in, 1, kernel + phases - 1]: row p is the kernel, p steps later.
Tensor shifted_copies(const Tensor& weight) {
  const std::int64_t in = weight.shape[1];
  const std::int64_t kernel = weight.shape.back();
  const std::int64_t width = kernel + kPhases - 1;
  return computed_tensor({kPhases, in, 1, width}, [weight, in, kernel, width] {
    const std::vector<float> w = to_float32(weight);
    std::vector<float> to(static_cast<std::size_t>(kPhases * in * width), 0.0F);
    for (std::int64_t p = 0; p < kPhases; ++p)
      for (std::int64_t i = 0; i < in; ++i)
        for (std::int64_t k = 0; k < kernel; ++k)
          to[static_cast<std::size_t>((p * in + i) * width + p + k)] =
              w[static_cast<std::size_t>(i * kernel + k)];
    return to;
  });
}

Tensor repeated(const Tensor& bias) {
  return computed_tensor({kPhases}, [bias] {
    return std::vector<float>(static_cast<std::size_t>(kPhases), to_float32(bias)[0]);
  });
}

// The same convolution, of many samples at once: [b, phases, rows, t / phases].
Value phases_of(const Node& node, const TimeConvolution& conv) {
  Builder g(node.input(0).graph());
  std::vector<Value> inputs = {node.input(0), g.constant("weight", shifted_copies(conv.weight))};
  if (conv.bias) inputs.push_back(g.constant("bias", repeated(*conv.bias)));
  return g.node("Conv", std::move(inputs),
                {{"kernel_shape", Ints{1, conv.kernel + kPhases - 1}},
                 {"strides", Ints{1, kPhases}},
                 {"dilations", Ints{1, 1}},
                 {"pads", Ints{0, conv.pad_before, 0, conv.pad_after}},
                 {"group", std::int64_t{1}}});
}

}  // namespace

// Conv(x, w) of one output channel -> take_turns(Conv(x, w') stride 16), where w' makes 16 samples
// at once, as so many channels:
//
//   w'[0] = w 0 0 ...    sample 0, 16, 32, ...
//   w'[1] = 0 w 0 ...    sample 1, 17, ...
//
// An activation behind it is computed before the samples take turns, where it joins the
// convolution. Only where the length is a multiple of 16.
bool output_by_phases(Graph& graph) {
  const Uses uses(graph);
  bool changed = false;
  for (const Node& node : graph.nodes()) {
    const std::optional<TimeConvolution> conv = time_convolution(node);
    if (!conv || node.input(0).rank() != 4) continue;
    if (!makes_blocks_of_samples(node, *conv)) continue;
    const std::optional<Node> user = uses.only_user(node.output());
    const bool is_activated = user && is_unary_elementwise(user->op());
    const Graph::Scope scope(graph, module_of(node));
    Value y = phases_of(node, *conv);
    if (is_activated) y = Builder(graph).node(user->op(), {y}, user->attributes());
    y = reshape(unsqueeze(transpose(y, {0, 2, 3, 1}), {1}), {0, 0, 0, -1});
    graph.replace(is_activated ? user->output() : node.output(), y);
    changed = true;
  }
  return changed;
}

}  // namespace voxport
