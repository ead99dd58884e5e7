#include "passes/pipeline.h"

#include <algorithm>

#include <voxport/error.h>

#include "graph/assumptions.h"
#include "graph/check.h"
#include "passes/for_onnxruntime/forms.h"
#include "passes/lower_opset.h"
#include "passes/passes.h"
#include "passes/widen_bfloat16.h"

namespace voxport {
namespace {

constexpr Pass kDropDeadNodes = {"drop_dead_nodes", drop_dead_nodes};
constexpr Pass kShareConstants = {"share_constants", share_constants};
constexpr Pass kShareExpressions = {"share_expressions", share_expressions};

// The order matters; each line says what the next may rely on.
constexpr Pass kPipeline[] = {
    {"fold_batch_norms", fold_batch_norms},              // may leave nodes of constants alone
    {"fold_constants", fold_constants},                  // no node depends on constants alone
    {"fold_cast_chains", fold_cast_chains},              // may leave a Cast to the same type
    {"fold_axis_chains", fold_axis_chains},              // may leave a Transpose that does nothing
    {"fold_matmul_transposes", fold_matmul_transposes},  // may leave a Transpose of a constant
    {"drop_zero_states", drop_zero_states},  // zeros are not computed for a network that has them
    {"drop_clamps", drop_clamps},    // no end of a Slice is held to the size that holds it anyway
    {"drop_expands", drop_expands},  // nothing is repeated that is broadcast anyway
    {"drop_identities", drop_identities},                  // no node hands its input on as it is
    {"unflatten_linears", unflatten_linears},              // may leave a Reshape that does nothing
    {"split_before_transposes", split_before_transposes},  // no axes are joined to be split again
    {"read_sizes", read_sizes},        // a Shape gives no more sizes than are used
    {"lift_sizes", lift_sizes},        // sizes are computed in lists, as shapes take them
    {"fold_reshapes", fold_reshapes},  // no shape has sizes that are there already
    {"join_sizes", join_sizes},        // sizes of axes in a row are read at once
    {"join_slices", join_slices},      // an axis that is cut is cut once
    kShareConstants,                   // equal constants are one
    kShareExpressions,                 // equal nodes are one
    kDropDeadNodes,                    // every node reaches an output
};

// Each needs what those before it leave.
constexpr Pass kForms[] = {
    {"fold_gains", fold_gains},                  // no factor stands between convolutions
    {"convolve_rows", convolve_rows},            // convolutions over time have rows
    {"fold_axes", fold_axes},                    // and share what puts them on and off
    {"tile_rows", tile_rows},                    // rows of few channels are several
    {"output_by_phases", output_by_phases},      // one channel is computed as sixteen
    {"upsample_by_phases", upsample_by_phases},  // no ConvTranspose is left that a Conv can be
    {"activate_in_blocks", activate_in_blocks},  // activations belong to convolutions
    {"mask_in_blocks", mask_in_blocks},          // masks between convolutions are sums
};

// Once nothing is folded any more: what this leaves for ONNX Runtime to compute when it loads the
// graph would be larger in the file.
constexpr Pass kConvolveByPoints = {"convolve_by_points", convolve_by_points};

// For the many sizes that it makes, or those that cannot be named: see onnx/options.h. Not for
// graphs with attention.
constexpr Pass kForManySizes[] = {
    {"cut_before_transposes", cut_before_transposes},  // nothing is transposed to be cut off
    kShareConstants,             // convolutions by points share their constants
    {"hide_ranks", hide_ranks},  // the graph is loaded in less time
    kShareExpressions,           // what it reads of shapes was read before
    kDropDeadNodes,
};

// Attention compares all steps with each other: how much memory a run takes, which users of a graph
// estimate from the sizes in its file, grows with their square.
bool has_attention(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(),
                             [](const Node& node) { return node.op() == "Softmax"; });
}

// Each round makes the graph smaller; more than a few are never needed.
constexpr int kMaxRounds = 20;

// Runs the pass on the graph, then on the graphs inside of its nodes.
bool run(const Pass& pass, Graph& graph) {
  bool changed = pass.run(graph);
  for (const Node& node : graph.nodes()) {
    changed |= graph.settle_captured(node);
    for (Graph* inside : node.graphs()) changed |= run(pass, *inside);
  }
#ifndef NDEBUG
  try {
    check(graph);
  } catch (Error& error) {
    error.add_context(std::string("checking the graph after ").append(pass.name));
    throw;
  }
#endif
  return changed;
}

}  // namespace

std::span<const Pass> pipeline() { return kPipeline; }

void optimise(Graph& graph) {
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    for (const Pass& pass : kPipeline) changed |= run(pass, graph);
  }
}

std::span<const Pass> forms_for_onnxruntime() { return kForms; }

void use_forms_for_onnxruntime(Graph& graph) {
  for (const Pass& pass : kForms)
    if (run(pass, graph)) run(kDropDeadNodes, graph);  // what is unused must not count as a use
  optimise(graph);
  if (has_attention(graph)) return;
  const bool is_by_points = run(kConvolveByPoints, graph);
  if (!is_by_points && !assumes_sizes(graph)) return;
  for (const Pass& pass : kForManySizes) run(pass, graph);
}

bool prepare(Graph& graph, const Target& target) {
  const bool has_bfloat16 = widen_bfloat16(graph);
  optimise(graph);
  if (!target.is_plain) use_forms_for_onnxruntime(graph);
  lower_opset(graph, target.opset);
  run(kShareConstants, graph);  // each operator that was spelled out has its own
  return has_bfloat16;
}

}  // namespace voxport
