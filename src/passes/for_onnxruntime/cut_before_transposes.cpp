#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/time_convolution.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/size_range.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

// Where a Transpose says none, it turns all axes around; that is left alone.
const Ints* given_perm(const Node& transpose) {
  const Attribute* perm = transpose.find("perm");
  return perm ? &std::get<Ints>(*perm) : nullptr;
}

// The axes that a node names in a constant input, counted from the front.
std::optional<Ints> axes_from_front(const Node& node, std::size_t input) {
  const Value axes = node.inputs().size() > input ? node.input(input) : Value();
  std::optional<Ints> numbers = axes ? numbers_of(axes) : std::nullopt;
  if (!numbers || !node.input(0).type().shape) return std::nullopt;
  for (std::int64_t& axis : *numbers)
    axis = static_cast<std::int64_t>(axis_index(axis, node.input(0).rank()));
  return numbers;
}

// The same size, read of what a Transpose, or a Squeeze of one, is given.
std::optional<SizeRange> read_earlier(const SizeRange& size) {
  std::size_t axis = size.start;
  Value x = size.x;
  if (const std::optional<Node> squeeze = producer(x, "Squeeze")) {
    std::optional<Ints> gone = axes_from_front(*squeeze, 1);
    if (!gone) return std::nullopt;
    std::ranges::sort(*gone);
    for (const std::int64_t taken : *gone)
      if (static_cast<std::size_t>(taken) <= axis) ++axis;
    x = squeeze->input(0);
  }
  const std::optional<Node> transpose = producer(x, "Transpose");
  const Ints* perm = transpose ? given_perm(*transpose) : nullptr;
  if (!perm || !transpose->input(0).type().shape) return std::nullopt;
  const auto source = static_cast<std::size_t>((*perm)[axis]);
  return SizeRange{transpose->input(0), source, source + 1};
}

std::optional<Value> read_before_transpose(const Node& shape) {
  const std::optional<SizeRange> range =
      shape.domain().empty() ? range_read(shape.output()) : std::nullopt;
  if (!range || range->end != range->start + 1) return std::nullopt;
  const std::optional<SizeRange> better = read_earlier(*range);
  return better ? std::optional(read_range(*better)) : std::nullopt;
}

std::optional<Value> sliced_before_transpose(const Node& slice, Graph& graph) {
  const std::optional<Node> transpose = producer(slice.input(0), "Transpose");
  const Ints* perm = transpose ? given_perm(*transpose) : nullptr;
  std::optional<Ints> axes = slice.domain().empty() ? axes_from_front(slice, 3) : std::nullopt;
  if (!perm || !axes || graph.count_uses(transpose->output()) != 1) return std::nullopt;
  for (std::int64_t& axis : *axes) axis = (*perm)[static_cast<std::size_t>(axis)];
  const Graph::Scope scope(graph, module_of(slice));
  Builder g(graph);
  std::vector<Value> inputs(slice.inputs().begin(), slice.inputs().end());
  inputs[0] = transpose->input(0);
  inputs[3] = g.int64s(*axes);
  return g.node("Transpose", {g.node("Slice", std::move(inputs))}, transpose->attributes());
}

}  // namespace

// Shape(Squeeze(Transpose(x))) start=i -> Shape(x) start=j, and with that out of the way
// Slice(Transpose(x)) -> Transpose(Slice(x)), where nothing else uses what lies between. Less is
// transposed. ONNX Runtime would do the same when it loads the graph, and then infer all shapes
// once more.
bool cut_before_transposes(Graph& graph) {
  const auto where_sizes_stay = [](auto rewrite) {
    return [rewrite](const Node& node) -> std::optional<Value> {
      const std::optional<Value> better = rewrite(node);
      return better && keeps_sizes(node.output(), *better) ? better : std::nullopt;
    };
  };
  const bool has_read = rewrite_each(graph, "Shape", where_sizes_stay([](const Node& shape) {
                                       return read_before_transpose(shape);
                                     }));
  if (has_read) drop_dead_nodes(graph);  // a Shape that reads nothing is no use of a Transpose
  const bool has_cut = rewrite_each(graph, "Slice", where_sizes_stay([&](const Node& slice) {
                                      return sliced_before_transpose(slice, graph);
                                    }));
  return has_read || has_cut;
}

}  // namespace voxport
