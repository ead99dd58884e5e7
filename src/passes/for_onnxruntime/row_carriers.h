// Nodes that say the same of sequences with rows, [b, c, 1, t] for [b, c, t]: which axis is time
// before them and after them, and what their attributes become. For convolve_rows().
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace voxport {

// The axes of a sequence without rows.
constexpr std::size_t kSequenceRank = 3;

// How a kind of node is said of values that have one axis more, before time.
struct RowCarrier {
  bool (*is_good)(const Node& node);
  // Which axis is time in its output when it is `axis` in its input, and back; -1 when it cannot
  // be.
  std::int64_t (*to_output)(const Node& node, std::int64_t axis);
  std::int64_t (*to_input)(const Node& node, std::int64_t axis);
  // Its attributes, where `axis` is time in its input.
  Attributes (*attributes)(const Node& node, std::int64_t axis);
  // Whether an input is data, which gets the axis.
  bool (*is_data)(const Node& node, std::size_t input);
};

// Null where a node cannot carry rows: all its data must be float32 and of three axes, but for what
// is broadcast.
const RowCarrier* row_carrier_of(const Node& node);

bool has_rank(const Value& value, std::size_t rank);

}  // namespace voxport
