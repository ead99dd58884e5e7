#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/tensor_math.h"
#include "graph/builder.h"
#include "graph/ops.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/for_onnxruntime/row_carriers.h"
#include "passes/for_onnxruntime/row_ends.h"
#include "passes/for_onnxruntime/time_convolution.h"

namespace voxport {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kTime = 2;  // of what a convolution works on

// Which axis of a value [.., .., ..] is time, before which the new one comes, and whether that is
// because of a convolution: what takes or makes an axis for nothing (row_ends.h) needs none.
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

// A convolution over time that becomes one of rows. Of a single channel, as those that read
// waveforms, it would be several times slower. Others that do not fill blocks of channels are
// slower too, but rows keep what a sample is computed from in the same order whatever the length,
// so that a network in pieces gives what it gives at once.
bool is_convolution(const Node& node) {
  const std::optional<TimeConvolution> conv =
      has_rank(node.input(0), kSequenceRank) ? time_convolution(node) : std::nullopt;
  return conv && node.input(0).dim(kChannelAxis) != Dim(1);
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
    if (const std::optional<std::int64_t> axis = axis_that_can_be_made(node.output()))
      return after_.note(node.output(), {*axis, false});
    const RowCarrier* carrier = row_carrier_of(node);
    std::optional<TimeAxis> axis = carrier ? axis_of_inputs(node, *carrier) : std::nullopt;
    if (!axis) return;
    axis->axis = carrier->to_output(node, axis->axis);
    if (axis->axis < 1) return;
    for (const Value& output : node.outputs()) after_.note(output, *axis);
  }

  // The axis that is time in all inputs that are known to have one.
  std::optional<TimeAxis> axis_of_inputs(const Node& node, const RowCarrier& carrier) const {
    std::optional<TimeAxis> axis;
    int known = 0;
    int unknown = 0;
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
      const Value input = node.input(i);
      if (!carrier.is_data(node, i) || input.constant() || is_fill(input)) continue;
      const std::optional<TimeAxis> found = after_.find(input);
      ++(found ? known : unknown);
      if (!found) continue;
      if (axis && axis->axis != found->axis) return std::nullopt;
      axis = TimeAxis{found->axis, found->is_needed || (axis && axis->is_needed)};
    }
    // Each part that has no rows yet would need an axis of its own.
    return node.op() == "Concat" && unknown > known ? std::nullopt : axis;
  }

  // Notes what becomes the input of a convolution, by way of nodes that can carry rows.
  void note_before(const Node& node) {
    if (is_convolution(node)) return before_.note(node.input(0), {kTime, true});
    const std::optional<TimeAxis> known = after_.find(node.input(0));
    if (known && takes_axis(node, known->axis))
      return before_.note(node.input(0), {known->axis, false});
    const RowCarrier* carrier = row_carrier_of(node);
    if (!carrier) return;
    for (const Value& output : node.outputs()) {
      std::optional<TimeAxis> axis = before_.find(output);
      if (!axis) continue;
      axis->axis = carrier->to_input(node, axis->axis);
      if (axis->axis < 1) continue;
      for (std::size_t i = 0; i < node.inputs().size(); ++i)
        if (carrier->is_data(node, i) && has_rank(node.input(i), kSequenceRank))
          before_.note(node.input(i), *axis);
    }
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
    if (take(node)) return true;
    const RowCarrier* carrier = row_carrier_of(node);
    const std::optional<std::int64_t> axis = carrier ? axis_between(node) : std::nullopt;
    if (!axis) return false;
    put(node, carried(node, *carrier, carrier->to_input(node, *axis)), *axis);
    return true;
  }

  // Gives a node that takes the axis its input with rows.
  bool take(const Node& node) {
    const auto row = node.input(0) ? rows_.find(node.input(0).name()) : rows_.end();
    if (row == rows_.end() || !takes_axis(node, row->second.axis)) return false;
    const Value made = taken(node, row->second.value, row->second.axis);
    if (made.type().shape != node.output().type().shape) return false;  // not known to be the same
    graph_.replace(node.output(), made);
    return true;
  }

  // With rows where they are known, else by a new axis.
  Value with_row(const Value& value, std::int64_t axis) {
    const auto known = rows_.find(value.name());
    if (known != rows_.end() && known->second.axis == axis) return known->second.value;
    // Where the value has fewer axes, it is broadcast along the first ones.
    const std::int64_t place = axis - static_cast<std::int64_t>(kSequenceRank - value.rank());
    if (place <= 0) return value;
    Row& made = unsqueezed_[value.name()];
    if (made.value && made.axis == axis) return made.value;
    made = {with_axis(value, place), axis};
    return made.value;
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

  std::vector<Value> carried(const Node& node, const RowCarrier& carrier, std::int64_t axis) {
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
// time, wherever Transpose puts that. So does what lies between a convolution and a node that makes
// or takes the axis on its way, as a Reshape can. The rest of the graph stays as it is.
bool convolve_rows(Graph& graph) { return Rows(graph).run(); }

}  // namespace voxport
