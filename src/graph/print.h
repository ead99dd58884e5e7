// The text form of a graph, both ways: what tests are written in and what --debug shows.
//
//   x: f32[b, 192, t]
//   w: f32[384, 192, 5] = const
//   pads: i64[2] = const [1, 2]
//   y: f32[b, 384, t] = Conv(x, w) pads=[2, 2]
//   return y
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace voxport {

// One line per input, constant and node, in order, then the outputs. Small constants show their
// values. The same graph gives the same text.
std::string print(const Graph& graph);

// f32[b, 192, t]; f32[?] when the rank is not known.
std::string print(const Type& type);

// [1, 2], 0.5, "text"; tensors and graphs by what they are.
std::string print(const Attribute& attribute);

// f32 for float32, and back.
std::string_view short_name(DType dtype);
std::optional<DType> dtype_of_short_name(std::string_view name);

// Reads the text form. Types of computed values may be left out; where they are given they must be
// what infer() finds. A constant without values is zeros. Fails with kCorrupt, naming the line.
std::unique_ptr<Graph> parse_graph(std::string_view text);

}  // namespace voxport
