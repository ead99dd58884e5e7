// Every pass, one file each, of the same name. True when something was changed.
#pragma once

#include "graph/graph.h"

namespace voxport {

bool drop_clamps(Graph& graph);
bool drop_dead_nodes(Graph& graph);
bool drop_expands(Graph& graph);
bool drop_identities(Graph& graph);
bool drop_zero_states(Graph& graph);
bool fold_axis_chains(Graph& graph);
bool fold_batch_norms(Graph& graph);
bool fold_cast_chains(Graph& graph);
bool fold_constants(Graph& graph);
bool fold_matmul_transposes(Graph& graph);
bool fold_reshapes(Graph& graph);
bool join_sizes(Graph& graph);
bool join_slices(Graph& graph);
bool lift_sizes(Graph& graph);
bool read_sizes(Graph& graph);
bool share_constants(Graph& graph);
bool share_expressions(Graph& graph);
bool split_before_transposes(Graph& graph);
bool unflatten_linears(Graph& graph);

}  // namespace voxport
