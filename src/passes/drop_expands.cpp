#include <algorithm>
#include <array>

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

// The shape of what is repeated to become `value`; nothing where no node repeats.
std::optional<Shape> repeated_shape(const Value& value) {
  if (const auto expand = producer(value, "Expand")) return expand->input(0).type().shape;
  return producer(value, "ConstantOfShape") ? std::optional(Shape()) : std::nullopt;
}

// What is repeated to become `value`, which has a repeated_shape().
Value repeated(const Value& value, Graph& graph) {
  if (const auto expand = producer(value, "Expand")) return expand->input(0);
  const Attribute* element = producer(value, "ConstantOfShape")->find("value");
  if (!element) return Builder(graph).scalar(0, DType::kFloat32);
  Tensor number = std::get<Tensor>(*element);
  number.shape.clear();
  number.strides.clear();
  return Builder(graph).constant("fill", std::move(number));
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
    const std::optional<Shape> alone = repeated_shape(wide);
    if (!alone || !give_shape(node.inputs(), wide, *alone, node.output().shape())) continue;
    graph.replace_input(node, wide, repeated(wide, graph));
    changed = true;
  }
  return changed;
}

}  // namespace

// Add(x, Expand(y, shape)) -> Add(x, y), and the same for every operator that broadcasts, where x
// and y have the sizes of the sum between them. So has Where(mask, x, ConstantOfShape(shape)).
bool drop_expands(Graph& graph) {
  bool changed = false;
  for (const Node& node : graph.nodes()) changed |= drop_expands_of(node, graph);
  return changed;
}

}  // namespace voxport
