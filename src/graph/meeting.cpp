#include "graph/meeting.h"

#include <algorithm>
#include <array>
#include <utility>

namespace voxport {
namespace {

using Meetings = std::vector<Meeting>;

constexpr std::array<std::string_view, 19> kBroadcasting = {
    "Add", "And",   "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual",
    "Max", "Min",   "Mod", "Mul",   "Or",      "PRelu",          "Pow",  "Sub",
    "Sum", "Where", "Xor",
};

void meet(Meetings& met, const Dim& a, const Dim& b) {
  if (a != b) met.push_back({a, b});
}

// Counted from the last axis.
void broadcast_meet(Meetings& met, const Shape& a, const Shape& b) {
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i)
    meet(met, a[a.size() - i], b[b.size() - i]);
}

// The axis of one input with that of another; nothing where one of them is not there.
void axes_meet(Meetings& met, const Node& node, std::size_t x, std::int64_t x_axis, std::size_t y,
               std::int64_t y_axis) {
  const auto has = [&](std::size_t input, std::int64_t axis) {
    const Value value = node.input(input);
    const auto rank = value && value.type().shape ? std::ssize(value.shape()) : 0;
    return axis >= -rank && axis < rank;
  };
  if (has(x, x_axis) && has(y, y_axis))
    meet(met, node.input(x).dim(x_axis), node.input(y).dim(y_axis));
}

std::int64_t integer(const Node& node, std::string_view name, std::int64_t otherwise) {
  const Attribute* attribute = node.find(name);
  const auto* number = attribute ? std::get_if<std::int64_t>(attribute) : nullptr;
  return number ? *number : otherwise;
}

void all_broadcast(Meetings& met, const Node& node) {
  for (std::size_t i = 0; i < node.inputs().size(); ++i)
    for (std::size_t j = i + 1; j < node.inputs().size(); ++j)
      if (node.input(i) && node.input(j))
        broadcast_meet(met, node.input(i).shape(), node.input(j).shape());
}

void expand(Meetings& met, const Node& node) {
  if (const auto& target = node.input(1).type().elements)
    broadcast_meet(met, node.input(0).shape(), *target);
}

void mat_mul(Meetings& met, const Node& node) {
  const Shape& a = node.input(0).shape();
  const Shape& b = node.input(1).shape();
  meet(met, a.back(), b.size() == 1 ? b[0] : b[b.size() - 2]);
  if (a.size() > 2 && b.size() > 2)
    broadcast_meet(met, Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
}

void gemm(Meetings& met, const Node& node) {
  const bool turns_a = integer(node, "transA", 0) != 0;
  const bool turns_b = integer(node, "transB", 0) != 0;
  axes_meet(met, node, 0, turns_a ? 0 : 1, 1, turns_b ? 1 : 0);
  if (node.input(2)) broadcast_meet(met, node.output().shape(), node.input(2).shape());
}

void concat(Meetings& met, const Node& node) {
  const auto joined = axis_index(integer(node, "axis", 0), node.input(0).rank());
  for (std::size_t i = 1; i < node.inputs().size(); ++i)
    for (std::size_t axis = 0; axis < node.input(0).rank(); ++axis)
      if (axis != joined) meet(met, node.input(0).shape()[axis], node.input(i).shape()[axis]);
}

void conv(Meetings& met, const Node& node) {
  const Dim group = integer(node, "group", 1);
  meet(met, node.input(0).dim(1), node.input(1).dim(1) * group);
  axes_meet(met, node, 1, 0, 2, 0);
}

// x [t, b, i], w [dirs, gates*h, i], r [dirs, gates*h, h], bias, lengths [b], h [dirs, b, h], c
void recurrent(Meetings& met, const Node& node) {
  axes_meet(met, node, 0, 2, 1, 2);
  axes_meet(met, node, 0, 1, 4, 0);
  for (const std::size_t state : {std::size_t{5}, std::size_t{6}}) {
    axes_meet(met, node, 0, 1, state, 1);
    axes_meet(met, node, 2, 2, state, 2);
  }
}

// The axis of the input that the parameters belong to.
void normalization(Meetings& met, const Node& node, std::int64_t axis) {
  for (std::size_t i = 1; i < node.inputs().size(); ++i) axes_meet(met, node, 0, axis, i, -1);
}

void scatter_elements(Meetings& met, const Node& node) {
  for (std::size_t axis = 0; axis < node.input(1).rank(); ++axis)
    axes_meet(met, node, 1, static_cast<std::int64_t>(axis), 2, static_cast<std::int64_t>(axis));
}

// The updates are [indices but for the last axis, the axes of the data that are not chosen from].
void scatter_nd(Meetings& met, const Node& node) {
  const Shape& data = node.input(0).shape();
  const Shape& indices = node.input(1).shape();
  const auto depth = indices.back().constant();
  if (!depth || *depth < 0 || *depth > std::ssize(data)) return;
  Shape expected(indices.begin(), indices.end() - 1);
  expected.insert(expected.end(), data.begin() + *depth, data.end());
  const Shape& updates = node.input(2).shape();
  for (std::size_t i = 0; i < expected.size() && expected.size() == updates.size(); ++i)
    meet(met, expected[i], updates[i]);
}

struct MeetingRow {
  std::string_view op;
  void (*add)(Meetings& met, const Node& node);
};

// In alphabetical order.
constexpr MeetingRow kOthers[] = {
    {"BatchNormalization", [](Meetings& met, const Node& node) { normalization(met, node, 1); }},
    {"Concat", concat},
    {"Conv", conv},
    {"ConvTranspose", [](Meetings& met, const Node& node) { axes_meet(met, node, 0, 1, 1, 0); }},
    {"Expand", expand},
    {"GRU", recurrent},
    {"Gemm", gemm},
    {"GridSample", [](Meetings& met, const Node& node) { axes_meet(met, node, 0, 0, 1, 0); }},
    {"InstanceNormalization", [](Meetings& met, const Node& node) { normalization(met, node, 1); }},
    {"LSTM", recurrent},
    {"LayerNormalization", [](Meetings& met, const Node& node) { normalization(met, node, -1); }},
    {"MatMul", mat_mul},
    {"RNN", recurrent},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
};
static_assert(std::ranges::is_sorted(kOthers, {}, &MeetingRow::op));

thread_local NodeWatch* innermost_watch = nullptr;

}  // namespace

std::vector<Meeting> meetings_of(const Node& node) {
  Meetings met;
  if (std::ranges::find(kBroadcasting, node.op()) != kBroadcasting.end()) all_broadcast(met, node);
  const auto* row = std::ranges::lower_bound(kOthers, node.op(), {}, &MeetingRow::op);
  if (row != std::end(kOthers) && row->op == node.op()) row->add(met, node);
  return met;
}

NodeWatch::NodeWatch(SeenNode node, SeenConstant constant)
    : node_(std::move(node)),
      constant_(std::move(constant)),
      outer_(std::exchange(innermost_watch, this)) {}

NodeWatch::~NodeWatch() { innermost_watch = outer_; }

void NodeWatch::tell(const Node& node) {
  if (innermost_watch) innermost_watch->node_(node);
}

void NodeWatch::tell(const Value& constant) {
  if (innermost_watch) innermost_watch->constant_(constant);
}

}  // namespace voxport
