#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/time_convolution.h"
#include "passes/for_onnxruntime/uses.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

// Far above what a convolution makes of numbers that a network works with.
constexpr float kLow = 1e30F;

// Whether the value consists of zeros and ones: flags as numbers, with other axes.
bool is_mask(const Value& value) {
  constexpr std::string_view kViews[] = {"Reshape", "Squeeze", "Transpose", "Unsqueeze"};
  Value source = value;
  while (const std::optional<Node> node = source.producer()) {
    if (std::ranges::find(kViews, node->op()) == std::end(kViews))
      return node->op() == "Cast" && node->input(0).dtype() == DType::kBool;
    source = node->input(0);
  }
  return false;
}

// A Mul of what an activated convolution makes and of a mask.
struct Masked {
  Node relu;
  Value mask;  // [b, 1, 1, t]
};

class Masks {
 public:
  explicit Masks(Graph& graph) : graph_(graph), uses_(graph) {}

  bool run() {
    bool changed = false;
    for (const Node& node : graph_.nodes()) {
      const std::optional<Masked> masked = masked_by(node);
      if (!masked) continue;
      const Graph::Scope scope(graph_, module_of(node));
      const Value x = masked->relu.input(0);
      Builder g(graph_);
      graph_.replace(node.output(), g.node("Relu", {x + low_where_masked(masked->mask, x)}));
      changed = true;
    }
    return changed;
  }

 private:
  std::optional<Masked> masked_by(const Node& node) const {
    if (node.op() != "Mul" || !feeds_convolutions(node.output())) return std::nullopt;
    for (const std::size_t i : {0U, 1U}) {
      const std::optional<Node> relu = producer(node.input(i), "Relu");
      const Value mask = node.input(1 - i);
      if (relu && is_convolved(*relu) && is_for(mask, relu->output()) && is_mask(mask))
        return Masked{*relu, mask};
    }
    return std::nullopt;
  }

  // Whether its input is in blocks, and nothing else uses what lies between.
  bool is_convolved(const Node& relu) const {
    const std::optional<Node> conv = producer(relu.input(0), "Conv");
    if (!conv || !time_convolution(*conv) || relu.output().rank() != 4) return false;
    const std::optional<std::int64_t> channels = relu.output().dim(kChannelAxis).constant();
    return channels && *channels % kBlock == 0 && uses_.only_user(relu.input(0)) &&
           uses_.only_user(relu.output());
  }

  bool feeds_convolutions(const Value& value) const {
    const std::vector<Node>& users = uses_.of(value);
    return !users.empty() && !uses_.is_output(value) &&
           std::ranges::all_of(users, [](const Node& user) {
             return user.op() == "Conv" && time_convolution(user).has_value();
           });
  }

  static bool is_for(const Value& mask, const Value& x) {
    return mask.rank() == 4 && mask.dim(0) == x.dim(0) && mask.dim(kChannelAxis) == Dim(1) &&
           mask.dim(kRowAxis) == x.dim(kRowAxis) && mask.dim(kTimeAxis) == x.dim(kTimeAxis);
  }

  // As x: 0 where the mask is 1, else so low that nothing is left above 0.
  Value low_where_masked(const Value& mask, const Value& x) {
    const std::int64_t channels = *x.dim(kChannelAxis).constant();
    Value& made = low_[{mask.name(), channels}];
    if (made) return made;
    Builder g(graph_);
    const auto all = [channels](float number) {
      return std::vector<float>(static_cast<std::size_t>(channels), number);
    };
    made = g.node("Conv",
                  {mask, g.constant("high", tensor_of({channels, 1, 1, 1}, all(kLow))),
                   g.constant("low", tensor_of({channels}, all(-kLow)))},
                  {{"kernel_shape", Ints{1, 1}},
                   {"strides", Ints{1, 1}},
                   {"dilations", Ints{1, 1}},
                   {"pads", Ints{0, 0, 0, 0}},
                   {"group", std::int64_t{1}}});
    return made;
  }

  Graph& graph_;
  Uses uses_;
  std::map<std::pair<std::string, std::int64_t>, Value> low_;  // by the mask and the channels
};

}  // namespace

// Conv(Relu(Conv(x)) * mask) -> Conv(Relu(Conv(x) + low)), where low is 0 where the mask is 1, and
// far below any number elsewhere. ONNX Runtime lets the first convolution take a sum and an
// activation, so that nothing leaves the blocks of channels; a product would.
//
//   x - Conv - Relu - * - Conv       ->    x - Conv - + - Relu - Conv
//                mask-'                      mask - Conv-'
//
// What is added is a convolution of the mask, whose one weight is as high as its bias is low. All
// that have the same mask and as many channels share it.
bool mask_in_blocks(Graph& graph) { return Masks(graph).run(); }

}  // namespace voxport
