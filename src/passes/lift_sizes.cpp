#include <algorithm>
#include <array>

#include "graph/builder.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

// Operators that compute sizes of sizes, by name.
constexpr std::array<std::string_view, 7> kSizeArithmetic = {"Add", "Div", "Max", "Min",
                                                             "Mod", "Mul", "Sub"};

bool is_one_number(const Value& value) { return value.type().shape && value.type().shape->empty(); }

// The node that computes the number of numbers; nothing where it is anything else.
std::optional<Node> arithmetic(const Value& value) {
  const auto node = value.producer();
  const bool is_one = node && node->domain().empty() && value.dtype() == DType::kInt64 &&
                      std::ranges::binary_search(kSizeArithmetic, node->op()) &&
                      std::ranges::all_of(node->inputs(), is_one_number);
  return is_one ? node : std::nullopt;
}

bool is_list_of_one(const Value& value) {
  return value.type().shape && *value.type().shape == Shape{1};
}

// The list of one element that a Squeeze makes the number of.
std::optional<Value> list_of(const Value& number) {
  const auto squeeze = producer(number, "Squeeze");
  return squeeze && is_list_of_one(squeeze->input(0)) ? std::optional(squeeze->input(0))
                                                      : std::nullopt;
}

bool is_of_lists(const Node& node, const Graph& graph);

// Whether the number is an element of a list, or computed of lists for one use.
bool is_of_lists(const Value& number, const Graph& graph) {
  if (list_of(number)) return true;
  const auto node = arithmetic(number);
  return node && graph.count_uses(number) == 1 && is_of_lists(*node, graph);
}

// Whether the node's inputs are of lists, but for constants, of which there is at most one.
bool is_of_lists(const Node& node, const Graph& graph) {
  const auto is_constant = [](const Value& input) { return input.known() != nullptr; };
  return std::ranges::count_if(node.inputs(), is_constant) < 2 &&
         std::ranges::all_of(node.inputs(), [&](const Value& input) {
           return is_constant(input) || is_of_lists(input, graph);
         });
}

Value lifted(const Value& number, Graph& graph);

// The same node of lists; a constant is broadcast.
Value lifted(const Node& node, Graph& graph) {
  std::vector<Value> inputs;
  for (const Value& input : node.inputs())
    inputs.push_back(input.known() ? input : lifted(input, graph));
  return Builder(graph).node(node.op(), std::move(inputs), node.attributes());
}

// Requires is_of_lists().
Value lifted(const Value& number, Graph& graph) {
  const auto list = list_of(number);
  return list ? *list : lifted(*arithmetic(number), graph);
}

}  // namespace

// Unsqueeze(Sub(Squeeze(sizes), 1)) -> Sub(sizes, 1), and so for all that computes sizes, one node
// after the other.
bool lift_sizes(Graph& graph) {
  return rewrite_each(graph, "Unsqueeze", [&](const Node& unsqueeze) -> std::optional<Value> {
    const auto node = arithmetic(unsqueeze.input(0));
    const bool is_list = node && is_list_of_one(unsqueeze.output());
    if (!is_list || !is_of_lists(*node, graph)) return std::nullopt;
    const Value better = lifted(*node, graph);
    return keeps_sizes(unsqueeze.output(), better) ? std::optional(better) : std::nullopt;
  });
}

}  // namespace voxport
