#include <algorithm>
#include <string>
#include <unordered_set>

#include "graph/builder.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/time_convolution.h"
#include "passes/for_onnxruntime/uses.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

bool fills_blocks(const Value& x) {
  if (!x.type().shape || x.rank() != 4 || x.dtype() != DType::kFloat32) return false;
  const std::optional<std::int64_t> channels = x.dim(kChannelAxis).constant();
  return channels && *channels % kBlock == 0;
}

// A convolution of each channel by itself that changes nothing.
Value pass_through(const Value& x) {
  Builder g(x.graph());
  const std::int64_t channels = *x.dim(kChannelAxis).constant();
  const std::vector<float> ones(static_cast<std::size_t>(channels), 1.0F);
  return g.node("Conv", {x, g.constant("pass_through", tensor_of({channels, 1, 1, 1}, ones))},
                {{"kernel_shape", Ints{1, 1}},
                 {"strides", Ints{1, 1}},
                 {"dilations", Ints{1, 1}},
                 {"pads", Ints{0, 0, 0, 0}},
                 {"group", channels}});
}

bool is_sum(const Node& node) {
  return node.op() == "Add" && node.input(0).type().shape == node.input(1).type().shape;
}

class Blocks {
 public:
  explicit Blocks(Graph& graph) : graph_(graph), uses_(graph) {}

  bool run() {
    bool changed = false;
    for (const Node& node : graph_.nodes())
      if (node.outputs().size() == 1) changed |= enter(node);
    for (const Node& node : graph_.nodes()) changed |= activate(node);
    return changed;
  }

 private:
  // LeakyRelu before convolutions along rows alone.
  bool is_activation(const Node& node) const {
    const Value output = node.output();
    const std::vector<Node>& users = uses_.of(output);
    return node.op() == "LeakyRelu" && !users.empty() && !uses_.is_output(output) &&
           std::ranges::all_of(users, [](const Node& user) {
             return user.op() == "Conv" && time_convolution(user).has_value();
           });
  }

  // Notes what a node leaves in blocks: convolutions do, and sums of what is in blocks. Any other
  // value that is both activated and added to what they make is brought into blocks once for all.
  bool enter(const Node& node) {
    const Value x = node.output();
    if (!fills_blocks(x)) return false;
    const bool is_in_blocks =
        node.op() == "Conv" || (is_sum(node) && is_in(node.input(0)) && is_in(node.input(1)));
    if (is_in_blocks) blocks_.insert(x.name());
    const std::vector<Node>& users = uses_.of(x);
    const bool is_residual =
        !is_in_blocks && !uses_.is_output(x) && std::ranges::any_of(users, is_sum) &&
        std::ranges::any_of(users, [&](const Node& user) { return is_activation(user); });
    if (!is_residual) return false;
    const Graph::Scope scope(graph_, module_of(node));
    const Value same = pass_through(x);
    for (const Node& user : users) graph_.replace_input(user, x, same);
    blocks_.insert(same.name());
    return true;
  }

  // An activation of what a convolution leaves to it alone is part of that convolution already.
  bool activate(const Node& node) {
    if (!is_activation(node) || !is_in(node.input(0))) return false;
    const Value x = node.input(0);
    if (x.producer()->op() == "Conv" && graph_.count_uses(x) == 1) return false;
    const Graph::Scope scope(graph_, module_of(node));
    graph_.replace_input(node, x, pass_through(x));
    return true;
  }

  bool is_in(const Value& value) const { return blocks_.contains(value.name()); }

  Graph& graph_;
  Uses uses_;
  std::unordered_set<std::string> blocks_;  // names of values
};

}  // namespace

// Conv(LeakyRelu(x), w) -> Conv(LeakyRelu(Conv(x, ones) group=channels), w), where x is a sum of
// convolutions. ONNX Runtime keeps what lies between convolutions in blocks of 16 channels, and
// leaves them for an activation unless that is part of a convolution; this one changes nothing and
// takes the activation.
//
//   x - Conv - + - LeakyRelu - Conv       ->    x' - Conv - + - Conv - LeakyRelu - Conv
//    `---------'                                 `---------'
//
// x' is x, brought into blocks by the same means where it comes from elsewhere.
bool activate_in_blocks(Graph& graph) { return Blocks(graph).run(); }

}  // namespace voxport
