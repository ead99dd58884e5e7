#include "passes/for_onnxruntime/row_carriers.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "passes/for_onnxruntime/time_convolution.h"
#include "passes/rewrite.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kLast = 2;

bool is_float32(const Value& value) {
  return value && value.type().foreign.empty() && value.dtype() == DType::kFloat32;
}

bool always(const Node&) { return true; }
std::int64_t same(const Node&, std::int64_t axis) { return axis; }
Attributes same_attributes(const Node& node, std::int64_t) { return node.attributes(); }
bool every_input(const Node&, std::size_t) { return true; }
bool first_input(const Node&, std::size_t input) { return input == 0; }

Attributes with_attribute(const Node& node, std::string_view name, Attribute value) {
  Attributes attributes = node.attributes();
  const auto found =
      std::ranges::find(attributes, name, [](const auto& attribute) { return attribute.first; });
  if (found == attributes.end())
    attributes.emplace_back(name, std::move(value));
  else
    found->second = std::move(value);
  return attributes;
}

// The attribute `axis` of a node, counted in values of one axis more.
Attributes moved_axis(const Node& node, std::int64_t time) {
  const auto axis =
      static_cast<std::int64_t>(axis_index(integer_of(node, "axis", 0), kSequenceRank));
  return with_attribute(node, "axis", axis < time ? axis : axis + 1);
}

Ints perm_of(const Node& transpose) {
  const Attribute* perm = transpose.find("perm");
  return perm ? std::get<Ints>(*perm) : Ints{2, 1, 0};
}

std::int64_t transposed_axis(const Node& node, std::int64_t axis) {
  const Ints perm = perm_of(node);
  return std::ranges::find(perm, axis) - perm.begin();
}

std::int64_t axis_before_transpose(const Node& node, std::int64_t axis) {
  return perm_of(node)[static_cast<std::size_t>(axis)];
}

// The new axis stays before time: [0, 2, 1] of [b, t, c] is [0, 3, 1, 2] of [b, 1, t, c].
Attributes transposed_attributes(const Node& node, std::int64_t time) {
  Ints perm;
  for (const std::int64_t axis : perm_of(node)) {
    if (axis == time) perm.push_back(time);
    perm.push_back(axis < time ? axis : axis + 1);
  }
  return with_attribute(node, "perm", perm);
}

std::int64_t not_last(const Node&, std::int64_t axis) { return axis == kLast ? -1 : axis; }

bool multiplies_by_constant(const Node& node) {
  return node.input(1).constant() && has_rank(node.input(1), 2);
}

bool normalises_last_axis(const Node& node) {
  const std::int64_t axis = integer_of(node, "axis", -1);
  return node.outputs().size() == 1 && (axis == -1 || axis == kLast);
}

// Along one axis that is counted from the end, behind any new one.
bool slices_last_axis(const Node& node) {
  const Tensor* axes = node.input(3) ? node.input(3).constant() : nullptr;
  return axes && int64_values(*axes) == Ints{-1};
}

Attributes last_axis(const Node& node, std::int64_t) {
  return with_attribute(node, "axis", std::int64_t{-1});
}

struct NamedCarrier {
  std::string_view op;
  RowCarrier carrier;
};

// By name. Operators that work element by element are beside them.
constexpr NamedCarrier kCarriers[] = {
    {"Concat", {always, same, same, moved_axis, every_input}},
    {"Gather", {always, same, same, moved_axis, first_input}},
    {"LayerNormalization", {normalises_last_axis, same, same, last_axis, first_input}},
    {"MatMul", {multiplies_by_constant, not_last, not_last, same_attributes, first_input}},
    {"Slice", {slices_last_axis, same, same, same_attributes, first_input}},
    {"Split", {always, same, same, moved_axis, first_input}},
    {"Transpose",
     {always, transposed_axis, axis_before_transpose, transposed_attributes, first_input}},
};
constexpr RowCarrier kElementwise = {always, same, same, same_attributes, every_input};

const RowCarrier* find_carrier(const Node& node) {
  if (is_unary_elementwise(node.op()) || is_broadcasting(node.op())) return &kElementwise;
  for (const NamedCarrier& named : kCarriers)
    if (named.op == node.op()) return &named.carrier;
  return nullptr;
}

}  // namespace

bool has_rank(const Value& value, std::size_t rank) {
  return value && value.type().shape && value.rank() == rank;
}

const RowCarrier* row_carrier_of(const Node& node) {
  const RowCarrier* carrier =
      node.domain().empty() && node.captured().empty() ? find_carrier(node) : nullptr;
  if (!carrier || (!has_rank(node.input(0), kSequenceRank) && !is_broadcasting(node.op())))
    return nullptr;
  for (const Value& output : node.outputs())
    if (!has_rank(output, kSequenceRank) || !is_float32(output)) return nullptr;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const Value input = node.input(i);
    if (carrier->is_data(node, i) && (!is_float32(input) || !input.type().shape)) return nullptr;
  }
  return carrier->is_good(node) ? carrier : nullptr;
}

}  // namespace voxport
