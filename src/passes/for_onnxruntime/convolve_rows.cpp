#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/time_convolution.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::size_t kRank = 3;
constexpr std::int64_t kTime = 2;  // of what a convolution works on

// Which axis of a value [.., .., ..] is time, before which the new one comes, and whether that is
// because of a convolution: a Reshape takes or makes an axis for nothing, but needs none.
struct TimeAxis {
  std::int64_t axis;
  bool is_needed;
};

class TimeAxes {
 public:
  std::optional<TimeAxis> find(const Value& value) const {
    const auto found = value ? axes_.find(value.name()) : axes_.end();
    return found == axes_.end() ? std::nullopt : std::optional(found->second);
  }
  // The first that is noted counts.
  void note(const Value& value, const TimeAxis& axis) {
    TimeAxis& noted = axes_.emplace(value.name(), axis).first->second;
    if (noted.axis == axis.axis) noted.is_needed |= axis.is_needed;
  }

 private:
  std::unordered_map<std::string, TimeAxis> axes_;  // by the names of values
};

bool has_rank(const Value& value, std::size_t rank) {
  return value && value.type().shape && value.rank() == rank;
}

bool is_float32(const Value& value) {
  return value && value.type().foreign.empty() && value.dtype() == DType::kFloat32;
}

bool is_convolution(const Node& node) {
  return has_rank(node.input(0), kRank) && time_convolution(node).has_value();
}

std::int64_t integer(const Node& node, std::string_view name, std::int64_t otherwise) {
  const Attribute* attribute = node.find(name);
  return attribute ? std::get<std::int64_t>(*attribute) : otherwise;
}

// The shape with an axis of size 1 at that place.
Ints with_one(const Ints& shape, std::int64_t place) {
  Ints made;
  for (const std::int64_t size : shape) {
    if (static_cast<std::int64_t>(made.size()) == place) made.push_back(1);
    made.push_back(size);
  }
  return made;
}

// The shape that a Reshape is given as numbers.
std::optional<Ints> target_of(const Node& node) {
  const Tensor* target =
      node.op() == "Reshape" && node.input(1) ? node.input(1).constant() : nullptr;
  const bool keeps_zeros = target && integer(node, "allowzero", 0) != 0;
  return target && !keeps_zeros ? std::optional(int64_values(*target)) : std::nullopt;
}

// The target of a Reshape of three axes whose input has another one before `axis`. Sizes that are
// taken from the input must still be found there.
std::optional<Ints> target_after_row(const Node& node, std::int64_t axis) {
  std::optional<Ints> target = target_of(node);
  if (!target || !has_rank(node.input(0), kRank)) return std::nullopt;
  for (std::size_t i = static_cast<std::size_t>(axis); i < target->size(); ++i) {
    if ((*target)[i] != 0) continue;
    if (std::ranges::find(*target, -1) != target->end()) return std::nullopt;
    (*target)[i] = -1;
  }
  return target;
}

// The axis before which a Reshape to three axes can make another one: the one that it computes.
std::optional<std::int64_t> axis_of_reshape(const Node& node) {
  const std::optional<Ints> target = target_of(node);
  if (!target || target->size() != kRank) return std::nullopt;
  const auto computed = std::ranges::find(*target, -1);
  const bool is_kept = std::find(computed, target->end(), 0) != target->end();
  if (computed == target->end() || computed == target->begin() || is_kept) return std::nullopt;
  return computed - target->begin();
}

// How a kind of node is said of values that have one axis more.
struct Carrier {
  bool (*is_good)(const Node& node);
  // Which axis is time in its output when it is `axis` in its input, and back; -1 when it cannot
  // be.
  std::int64_t (*to_output)(const Node& node, std::int64_t axis);
  std::int64_t (*to_input)(const Node& node, std::int64_t axis);
  // Its attributes, for the new axis in its input.
  Attributes (*attributes)(const Node& node, std::int64_t axis);
  // Whether an input is data, which gets the axis.
  bool (*is_data)(const Node& node, std::size_t input);
};

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
  const auto axis = static_cast<std::int64_t>(axis_index(integer(node, "axis", 0), kRank));
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

std::int64_t not_last(const Node&, std::int64_t axis) { return axis == kTime ? -1 : axis; }

bool multiplies_by_constant(const Node& node) {
  return node.input(1).constant() && has_rank(node.input(1), 2);
}

bool normalises_last_axis(const Node& node) {
  const std::int64_t axis = integer(node, "axis", -1);
  return node.outputs().size() == 1 && (axis == -1 || axis == kTime);
}

Attributes last_axis(const Node& node, std::int64_t) {
  return with_attribute(node, "axis", std::int64_t{-1});
}

struct NamedCarrier {
  std::string_view op;
  Carrier carrier;
};

// By name. Operators that work element by element are beside them.
constexpr NamedCarrier kCarriers[] = {
    {"Concat", {always, same, same, moved_axis, every_input}},
    {"LayerNormalization", {normalises_last_axis, same, same, last_axis, first_input}},
    {"MatMul", {multiplies_by_constant, not_last, not_last, same_attributes, first_input}},
    {"Split", {always, same, same, moved_axis, first_input}},
    {"Transpose",
     {always, transposed_axis, axis_before_transpose, transposed_attributes, first_input}},
};
constexpr Carrier kElementwise = {always, same, same, same_attributes, every_input};

const Carrier* find_carrier(const Node& node) {
  if (is_unary_elementwise(node.op()) || is_broadcasting(node.op())) return &kElementwise;
  for (const NamedCarrier& named : kCarriers)
    if (named.op == node.op()) return &named.carrier;
  return nullptr;
}

// The carrier of a node of float32 values that have three axes, but for what is broadcast.
const Carrier* carrier_of(const Node& node) {
  const Carrier* carrier =
      node.domain().empty() && node.captured().empty() ? find_carrier(node) : nullptr;
  if (!carrier || (!has_rank(node.input(0), kRank) && !is_broadcasting(node.op()))) return nullptr;
  for (const Value& output : node.outputs())
    if (!has_rank(output, kRank) || !is_float32(output)) return nullptr;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const Value input = node.input(i);
    if (carrier->is_data(node, i) && (!is_float32(input) || !input.type().shape)) return nullptr;
  }
  return carrier->is_good(node) ? carrier : nullptr;
}

class Rows {
 public:
  explicit Rows(Graph& graph) : graph_(graph), nodes_(graph.nodes()) {}

  bool run() {
    for (const Node& node : nodes_) note_after(node);
    std::for_each(nodes_.rbegin(), nodes_.rend(), [&](const Node& node) { note_before(node); });
    bool changed = false;
    for (const Node& node : nodes_) changed |= rewrite(node);
    return changed;
  }

 private:
  // Notes what comes of a convolution, by way of nodes that can carry rows.
  void note_after(const Node& node) {
    if (is_convolution(node)) return after_.note(node.output(), {kTime, true});
    if (const std::optional<std::int64_t> axis = axis_of_reshape(node))
      return after_.note(node.output(), {*axis, false});
    const Carrier* carrier = carrier_of(node);
    std::optional<TimeAxis> axis = carrier ? axis_of_inputs(node, *carrier) : std::nullopt;
    if (!axis) return;
    axis->axis = carrier->to_output(node, axis->axis);
    if (axis->axis < 1) return;
    for (const Value& output : node.outputs()) after_.note(output, *axis);
  }

  // The axis that is time in all inputs that are known to have one.
  std::optional<TimeAxis> axis_of_inputs(const Node& node, const Carrier& carrier) const {
    std::optional<TimeAxis> axis;
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
      if (!carrier.is_data(node, i) || node.input(i).constant()) continue;
      const std::optional<TimeAxis> found = after_.find(node.input(i));
      // Parts that have no rows yet would each need an axis of their own.
      if (!found && node.op() == "Concat") return std::nullopt;
      if (!found) continue;
      if (axis && axis->axis != found->axis) return std::nullopt;
      axis = TimeAxis{found->axis, found->is_needed || (axis && axis->is_needed)};
    }
    return axis;
  }

  // Notes what becomes the input of a convolution, by way of nodes that can carry rows.
  void note_before(const Node& node) {
    if (is_convolution(node)) return before_.note(node.input(0), {kTime, true});
    if (const std::optional<TimeAxis> axis = axis_before_reshape(node))
      return before_.note(node.input(0), {axis->axis, false});
    const Carrier* carrier = carrier_of(node);
    if (!carrier) return;
    for (const Value& output : node.outputs()) {
      std::optional<TimeAxis> axis = before_.find(output);
      if (!axis) continue;
      axis->axis = carrier->to_input(node, axis->axis);
      if (axis->axis < 1) continue;
      for (std::size_t i = 0; i < node.inputs().size(); ++i)
        if (carrier->is_data(node, i) && has_rank(node.input(i), kRank))
          before_.note(node.input(i), *axis);
    }
  }

  // The axis that a Reshape can take from what comes of a convolution.
  std::optional<TimeAxis> axis_before_reshape(const Node& node) const {
    const std::optional<TimeAxis> axis = after_.find(node.input(0));
    return axis && target_after_row(node, axis->axis) ? axis : std::nullopt;
  }

  // The axis of the outputs of a node before a convolution or after one, where rows come and go at
  // no cost on the other side.
  std::optional<std::int64_t> axis_between(const Node& node) const {
    for (const Value& output : node.outputs()) {
      const std::optional<TimeAxis> after = after_.find(output);
      const std::optional<TimeAxis> before = before_.find(output);
      if (after && before && after->axis == before->axis && (after->is_needed || before->is_needed))
        return after->axis;
    }
    return std::nullopt;
  }

  bool rewrite(const Node& node) {
    const Graph::Scope scope(graph_, module_of(node));
    if (is_convolution(node)) {
      put(node, {convolution(node)}, kTime);
      return true;
    }
    if (node.op() == "Reshape") return reshape_rows(node);
    const Carrier* carrier = carrier_of(node);
    const std::optional<std::int64_t> axis = carrier ? axis_between(node) : std::nullopt;
    if (!axis) return false;
    put(node, carried(node, *carrier, carrier->to_input(node, *axis)), *axis);
    return true;
  }

  // Of what has rows, without taking them off first.
  bool reshape_rows(const Node& node) {
    const auto row = rows_.find(node.input(0).name());
    if (row == rows_.end()) return false;
    const std::optional<Ints> target = target_after_row(node, row->second.axis);
    if (target) graph_.replace(node.output(), reshape(row->second.value, *target));
    return target.has_value();
  }

  // With rows where they are known, else by a new axis.
  Value with_row(const Value& value, std::int64_t axis) {
    const auto known = rows_.find(value.name());
    if (known != rows_.end() && known->second.axis == axis) return known->second.value;
    // Where the value has fewer axes, it is broadcast along the first ones.
    const std::int64_t place = axis - static_cast<std::int64_t>(kRank - value.rank());
    if (place <= 0) return value;
    Row& made = unsqueezed_[value.name()];
    if (made.value && made.axis == axis) return made.value;
    made = {with_axis(value, place), axis};
    return made.value;
  }

  Value with_axis(const Value& value, std::int64_t place) {
    const Tensor* constant = value.constant();
    const std::optional<Node> made_by = value.producer();
    const bool is_reshaped = made_by && axis_of_reshape(*made_by) == place;
    if (is_reshaped) return reshape(made_by->input(0), with_one(*target_of(*made_by), place));
    if (!constant) return unsqueeze(value, {place});
    return graph_.add_constant("constant", reshaped(*constant, with_one(constant->shape, place)));
  }

  Value convolution(const Node& node) {
    Builder g(graph_);
    const Tensor& kernel = *node.input(1).constant();
    const Value weight = g.constant("weight", reshaped(kernel, with_one(kernel.shape, kTime)));
    std::vector<Value> inputs = {with_row(node.input(0), kTime), weight};
    if (node.input(2)) inputs.push_back(node.input(2));
    Attributes attributes = node.attributes();
    for (auto& [name, attribute] : attributes) {
      const auto* numbers = std::get_if<Ints>(&attribute);
      if (!numbers) continue;
      const std::int64_t of_row = name == "pads" || name == "output_padding" ? 0 : 1;
      attribute = name == "pads" ? Ints{0, numbers->front(), 0, numbers->back()}
                                 : Ints{of_row, numbers->back()};
    }
    return g.node(node.op(), std::move(inputs), std::move(attributes));
  }

  std::vector<Value> carried(const Node& node, const Carrier& carrier, std::int64_t axis) {
    std::vector<Value> inputs;
    for (std::size_t i = 0; i < node.inputs().size(); ++i)
      inputs.push_back(carrier.is_data(node, i) ? with_row(node.input(i), axis) : node.input(i));
    return Builder(graph_).nodes(node.op(), std::move(inputs), carrier.attributes(node, axis),
                                 node.outputs().size());
  }

  // Makes these the outputs of the node, for those who know rows and for those who do not.
  void put(const Node& node, const std::vector<Value>& outputs, std::int64_t axis) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Value old = node.outputs()[i];
      const Value without = squeeze(outputs[i], {axis});
      rows_[without.name()] = {outputs[i], axis};
      graph_.replace(old, without);
    }
  }

  struct Row {
    Value value;
    std::int64_t axis = 0;
  };

  Graph& graph_;
  std::vector<Node> nodes_;
  TimeAxes after_, before_;
  std::unordered_map<std::string, Row> rows_;  // values that have rows, by what they are without
  std::unordered_map<std::string, Row> unsqueezed_;
};

}  // namespace

// Conv(x, w) -> Squeeze(Conv(Unsqueeze(x), w')): one row of a picture. ONNX Runtime keeps
// convolutions in blocks of channels, its fastest form, only where they have two dimensions.
//
//   x [b, c, t] - Conv - Relu - Conv - y    ->    x - Unsqueeze - Conv - Relu - Conv - Squeeze - y
//                                                        [b, c, 1, t]
//
// What lies between two convolutions gets the axis too, so that blocks stay blocks; it comes before
// time, wherever Transpose puts that. So does what lies between a convolution and a Reshape, which
// makes or takes the axis on its way. The rest of the graph stays as it is.
bool convolve_rows(Graph& graph) { return Rows(graph).run(); }

}  // namespace voxport
