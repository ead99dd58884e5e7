#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <voxport/error.h>

#include "graph/builder.h"
#include "graph/infer.h"
#include "graph/print.h"
#include "passes/evaluate.h"
#include "passes/passes.h"

namespace voxport {
namespace {

// What a constant that is put into the graph may add to it; more than that only in place of
// constants of that size which nothing else uses. PyTorch's exporter has the same limit.
constexpr std::uint64_t kMaxGrowth = std::uint64_t{1} << 20;
// No value that is larger than this, and than every constant of the graph, is computed.
constexpr std::uint64_t kMaxComputed = std::uint64_t{64} << 20;

// The elements, when all of them are numbers.
std::optional<Tensor> sizes_in(const Type& type) {
  if (!type.elements || !type.shape) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Dim& element : *type.elements) {
    const auto number = element.constant();
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  std::vector<std::int64_t> shape;
  for (const Dim& dim : *type.shape) shape.push_back(*dim.constant());
  return int64_tensor(std::move(shape), numbers);
}

std::uint64_t largest_constant(const Graph& graph) {
  std::uint64_t largest = 0;
  const auto visit = [&](const Value& value) {
    if (const Tensor* known = value.known()) largest = std::max(largest, known->size_in_bytes());
  };
  std::ranges::for_each(graph.constants(), visit);
  std::ranges::for_each(graph.captured(), visit);
  return largest;
}

class Folding {
 public:
  explicit Folding(Graph& graph)
      : graph_(graph),
        nodes_(graph.nodes()),
        evaluator_(std::max(kMaxComputed, largest_constant(graph))) {}

  bool run() {
    for (const Node& node : nodes_) compute(node);
    if (computed_.empty()) return false;
    for (const Node& node : nodes_)
      if (!is_folded(node)) want_inputs(node);
    for (const auto& [name, value] : graph_.outputs()) want(value);
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node)
      if (is_folded(*node) && is_wanted(*node) && !replace(*node)) keep(*node);
    return changed_;
  }

 private:
  // The values of what is constant, or depends on constants only.
  const Tensor* find(const Value& value) const {
    const auto found = computed_.find(value.name());
    return found == computed_.end() ? value.known() : &found->second;
  }

  bool is_folded(const Node& node) const {
    return std::ranges::any_of(
        node.outputs(), [&](const Value& output) { return computed_.contains(output.name()); });
  }

  void compute(const Node& node) {
    std::vector<Tensor> values;
    for (const Value& output : node.outputs())
      if (const auto sizes = sizes_in(output.type())) values.push_back(*sizes);
    if (values.size() != node.outputs().size()) {
      std::optional<std::vector<Tensor>> results = evaluated(node);
      if (!results) return;
      values = std::move(*results);
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      computed_.emplace(node.outputs()[i].name(), values[i]);
  }

  std::optional<std::vector<Tensor>> evaluated(const Node& node) {
    std::vector<std::optional<Tensor>> inputs;
    for (const Value& input : node.inputs()) {
      const Tensor* values = input ? find(input) : nullptr;
      if (input && !values) return std::nullopt;
      inputs.push_back(values ? std::optional(*values) : std::nullopt);
    }
    return evaluator_.evaluate(node, std::move(inputs));
  }

  void want(const Value& value) { wanted_.insert(value.name()); }
  void want_inputs(const Node& node) {
    for (const Value& input : node.inputs())
      if (input) want(input);
    for (const Value& value : node.captured()) want(value);
  }
  bool is_wanted(const Node& node) const {
    return std::ranges::any_of(
        node.outputs(), [&](const Value& output) { return wanted_.contains(output.name()); });
  }

  // The node stays, and what it depends on is wanted.
  void keep(const Node& node) {
    for (const Value& output : node.outputs()) computed_.erase(output.name());
    want_inputs(node);
  }

  // Puts constants in place of the outputs that are used, unless the graph would grow too much.
  bool replace(const Node& node) {
    std::uint64_t bytes = 0;
    std::vector<std::pair<Value, Value>> folded;
    for (const Value& output : node.outputs()) {
      if (!wanted_.contains(output.name())) continue;
      const Tensor& values = computed_.at(output.name());
      folded.emplace_back(output, Builder(graph_).constant("folded", values));
      bytes += values.size_in_bytes();
    }
    const bool keeps_all_types = std::ranges::all_of(
        folded, [&](const auto& pair) { return keeps_types(pair.first, pair.second); });
    if (!keeps_all_types || (bytes > kMaxGrowth && !takes_place(node, bytes))) return false;
    for (const auto& [output, constant] : folded) graph_.replace(output, constant);
    changed_ = true;
    return true;
  }

  // Whether constants of so many bytes are no longer needed when the node is folded; those bytes
  // are then taken.
  bool takes_place(const Node& node, std::uint64_t bytes) {
    const std::vector<Value> leaves = constants_behind(node);
    std::uint64_t freed = 0;
    for (const Value& leaf : leaves) freed += left_of(leaf);
    if (freed < bytes) return false;
    for (const Value& leaf : leaves) {
      std::uint64_t& left = left_.at(leaf.name());
      const std::uint64_t taken = std::min(left, bytes);
      left -= taken;
      bytes -= taken;
    }
    return true;
  }

  // The constants that the node depends on and that only nodes use which may be folded.
  std::vector<Value> constants_behind(const Node& node) const {
    std::vector<Value> constants;
    std::unordered_set<std::string> seen;
    std::vector<Node> open = {node};
    while (!open.empty()) {
      const Node next = open.back();
      open.pop_back();
      for (const Value& input : next.inputs()) {
        if (!input || !seen.insert(input.name()).second) continue;
        if (input.is_known_here_only() && !wanted_.contains(input.name()))
          constants.push_back(input);
        if (computed_.contains(input.name())) open.push_back(*input.producer());
      }
    }
    return constants;
  }

  std::uint64_t& left_of(const Value& constant) {
    return left_.emplace(constant.name(), constant.known()->size_in_bytes()).first->second;
  }

  // Whether the nodes that use the output find the same types with the constant in its place. A
  // constant may tell what was not known before: a size, or an element that becomes a size.
  bool keeps_types(const Value& output, const Value& constant) const {
    const bool is_the_same = output.type().shape == constant.type().shape &&
                             output.type().elements == constant.type().elements;
    return is_the_same || std::ranges::all_of(nodes_, [&](const Node& node) {
             return std::ranges::find(node.inputs(), output) == node.inputs().end() ||
                    keeps_types(node, output, constant);
           });
  }

  static bool keeps_types(const Node& user, const Value& output, const Value& constant) {
    if (!user.domain().empty() || !is_inferable(user.op())) return true;
    std::vector<Value> inputs(user.inputs().begin(), user.inputs().end());
    std::ranges::replace(inputs, output, constant);
    try {
      const std::vector<Type> types =
          infer(user.op(), inputs, user.attributes(), user.outputs().size(), user.name());
      return std::ranges::equal(user.outputs(), types, [](const Value& value, const Type& type) {
        return print(value.type()) == print(type);
      });
    } catch (const Error&) {  // what a branch does that is never taken
      return false;
    }
  }

  Graph& graph_;
  const std::vector<Node> nodes_;
  Evaluator evaluator_;
  std::unordered_map<std::string, Tensor> computed_;  // outputs of nodes that may be folded
  std::unordered_set<std::string> wanted_;  // what is used by nodes that stay, or is an output
  std::unordered_map<std::string, std::uint64_t> left_;  // bytes of constants that are not needed
  bool changed_ = false;
};

}  // namespace

// Reciprocal(Add(alpha, 1e-9)) -> a constant, where alpha is one; and so with every node that
// depends on constants only, in one step from the first of them to what the last of them gives. A
// node whose elements are all known to infer() as numbers becomes a constant, too: that is what
// shape arithmetic comes to when sizes are constant.
// Large constants are computed when they are written. A node stays where its result adds more than
// kMaxGrowth to the graph: an Expand of a number to a whole batch, a Transpose of a weight that is
// also used as it is.
bool fold_constants(Graph& graph) { return Folding(graph).run(); }

}  // namespace voxport
