// The passes, in order: a graph becomes a smaller, faster graph that says the same.
#pragma once

#include <span>
#include <string_view>

#include "graph/graph.h"

namespace voxport {

struct Pass {
  std::string_view name;
  bool (*run)(Graph& graph);  // true when it changed something
};

// In the order in which they run.
std::span<const Pass> pipeline();
// The forms that ONNX Runtime runs fast, in the order in which they are brought about.
std::span<const Pass> forms_for_onnxruntime();

// Runs the whole pipeline until nothing changes any more, on the graphs inside of nodes (of If,
// Loop and Scan) too. In debug builds the graph is checked after each pass.
void optimise(Graph& graph);
// Runs each of forms_for_onnxruntime() once, and optimises what they leave.
void use_forms_for_onnxruntime(Graph& graph);

// What the file that a graph becomes is to be.
struct Target {
  int opset = 17;
  bool is_plain = false;  // without the forms that only serve ONNX Runtime
};

// Every pass, in order: widen_bfloat16(), optimise(), the forms for ONNX Runtime and lower_opset(),
// whose constants are shared.
// Fails as lower_opset() does. Returns whether bfloat16 was widened.
bool prepare(Graph& graph, const Target& target);

}  // namespace voxport
