#include <algorithm>
#include <array>
#include <functional>

#include "graph/builder.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

// Operators that broadcast all of their inputs, by name.
constexpr std::array<std::string_view, 22> kBroadcasting = {
    "Add",       "And",         "BitwiseAnd",
    "BitwiseOr", "BitwiseXor",  "Div",
    "Equal",     "Greater",     "GreaterOrEqual",
    "Less",      "LessOrEqual", "Max",
    "Mean",      "Min",         "Mod",
    "Mul",       "Or",          "Pow",
    "Sub",       "Sum",         "Where",
    "Xor"};

// Whether an Unsqueeze adds axes before the first one only.
bool adds_leading_axes(const Node& unsqueeze) {
  const auto axes = numbers_of(unsqueeze.input(1));
  if (!axes || !unsqueeze.output().type().shape) return false;
  const std::size_t rank = unsqueeze.output().rank();
  return std::ranges::all_of(
      *axes, [&](std::int64_t axis) { return axis_index(axis, rank) < axes->size(); });
}

// A node that repeats its input, or adds axes that broadcasting adds.
std::optional<Node> repeating(const Value& value) {
  if (const auto expand = producer(value, "Expand")) return expand;
  if (const auto fill = producer(value, "ConstantOfShape")) return fill;
  const auto unsqueeze = producer(value, "Unsqueeze");
  return unsqueeze && adds_leading_axes(*unsqueeze) ? unsqueeze : std::nullopt;
}

// The number that a ConstantOfShape repeats.
Value fill_of(const Node& constant_of_shape, Graph& graph) {
  const Attribute* element = constant_of_shape.find("value");
  if (!element) return Builder(graph).scalar(0, DType::kFloat32);
  Tensor number = std::get<Tensor>(*element);
  number.shape.clear();
  number.strides.clear();
  return Builder(graph).constant("fill", std::move(number));
}

// What is repeated to become a value, and may be given to operators that broadcast.
struct Repeated {
  Shape shape;
  std::function<Value(Graph&)> make;
};

std::optional<Repeated> repeated_by(const Node& node) {
  if (node.op() == "ConstantOfShape")
    return Repeated{{}, [=](Graph& graph) { return fill_of(node, graph); }};
  const Value x = node.input(0);
  if (!x.type().shape) return std::nullopt;
  return Repeated{x.shape(), [=](Graph&) { return x; }};
}

// Tile(Expand(x, shape), repeats), where x is repeated on other axes than by the Tile: Tile(x).
std::optional<Repeated> repeated_twice(const Node& tile) {
  const auto expand = producer(tile.input(0), "Expand");
  const auto repeats = numbers_of(tile.input(1));
  if (!expand || !repeats || !expand->input(0).type().shape) return std::nullopt;
  const Value x = expand->input(0);
  if (x.rank() != repeats->size()) return std::nullopt;
  Shape shape = x.shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_expanded = shape[i] != expand->output().shape()[i];
    if (is_expanded && (*repeats)[i] != 1) return std::nullopt;
    shape[i] = shape[i] * (*repeats)[i];
  }
  return Repeated{shape, [=](Graph& graph) {
                    return Builder(graph).node("Tile", {x, tile.input(1)});
                  }};
}

std::optional<Repeated> repeated(const Value& value) {
  if (const auto tile = producer(value, "Tile")) return repeated_twice(*tile);
  const auto node = repeating(value);
  return node ? repeated_by(*node) : std::nullopt;
}

// Whether a shape has this size on the axis that is `from_end` axes before the last.
bool has_size(const Shape& shape, std::size_t from_end, const Dim& size) {
  return shape.size() > from_end && shape[shape.size() - 1 - from_end] == size;
}

// Whether the inputs broadcast to `shape` where `wide` among them has the shape `alone`.
bool give_shape(std::span<const Value> inputs, const Value& wide, const Shape& alone,
                const Shape& shape) {
  for (std::size_t from_end = 0; from_end < shape.size(); ++from_end) {
    const Dim& size = shape[shape.size() - 1 - from_end];
    const bool is_given = std::ranges::any_of(inputs, [&](const Value& input) {
      return has_size(input == wide ? alone : input.shape(), from_end, size);
    });
    if (!is_given) return false;
  }
  return true;
}

bool have_shapes(std::span<const Value> values) {
  return std::ranges::all_of(values, [](const Value& value) {
    return value && value.type().foreign.empty() && value.type().shape;
  });
}

bool drop_expands_of(const Node& node, Graph& graph) {
  const bool is_known = have_shapes(node.inputs()) && have_shapes(node.outputs());
  if (!node.domain().empty() || !is_known || !std::ranges::binary_search(kBroadcasting, node.op()))
    return false;
  bool changed = false;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const Value wide = node.inputs()[i];
    const std::optional<Repeated> alone = repeated(wide);
    if (!alone || !give_shape(node.inputs(), wide, alone->shape, node.output().shape())) continue;
    graph.replace_input(node, wide, alone->make(graph));
    changed = true;
  }
  return changed;
}

}  // namespace

// Add(x, Expand(y, shape)) -> Add(x, y), and the same for every operator that broadcasts, where x
// and y have the sizes of the sum between them. So for a ConstantOfShape, for an Unsqueeze that
// adds axes before the first, and for a Tile of an Expand, of which the Tile stays.
bool drop_expands(Graph& graph) {
  bool changed = false;
  for (const Node& node : graph.nodes()) changed |= drop_expands_of(node, graph);
  return changed;
}

}  // namespace voxport
