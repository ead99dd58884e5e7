// The forms that ONNX Runtime runs fast, one file each, of the same name. True when something was
// changed. pipeline.cpp has their order.
#pragma once

#include "graph/graph.h"

namespace voxport {

bool fold_gains(Graph& graph);
bool convolve_rows(Graph& graph);
bool fold_axes(Graph& graph);
bool tile_rows(Graph& graph);
bool output_by_phases(Graph& graph);
bool upsample_by_phases(Graph& graph);
bool cut_before_transposes(Graph& graph);
bool activate_in_blocks(Graph& graph);
bool mask_in_blocks(Graph& graph);
bool convolve_by_points(Graph& graph);
bool hide_ranks(Graph& graph);

}  // namespace voxport
