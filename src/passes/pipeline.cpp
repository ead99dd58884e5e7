#include "passes/pipeline.h"

#include <voxport/error.h>

#include "graph/check.h"
#include "passes/lower_opset.h"
#include "passes/passes.h"
#include "passes/widen_bfloat16.h"

namespace voxport {
namespace {

// The order matters; each line says what the next may rely on.
constexpr Pass kPipeline[] = {
    {"fold_constants", fold_constants},      // no node computes sizes from constants alone
    {"fold_cast_chains", fold_cast_chains},  // may leave a Cast to the same type
    {"fold_transpose_chains", fold_transpose_chains},  // may leave a Transpose that does nothing
    {"drop_identities", drop_identities},              // no node hands its input on as it is
    {"share_constants", share_constants},              // equal constants are one
    {"share_expressions", share_expressions},          // equal nodes are one
    {"drop_dead_nodes", drop_dead_nodes},              // every node reaches an output
};

// Each round makes the graph smaller; more than a few are never needed.
constexpr int kMaxRounds = 20;

bool run(const Pass& pass, Graph& graph) {
  const bool changed = pass.run(graph);
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

bool prepare(Graph& graph, int opset) {
  const bool has_bfloat16 = widen_bfloat16(graph);
  optimise(graph);
  lower_opset(graph, opset);
  return has_bfloat16;
}

}  // namespace voxport
