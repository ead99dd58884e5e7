// A voice that was published as one ONNX graph, back to the weights that it was exported from.
//
// The graph is compared with the network, node by node: what it computes at several sizes must be
// the forward pass of VITS with these weights, every operator, number and tensor of it.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/object.h"
#include "onnx/read.h"

namespace voxport {

struct RecoveredVoice {
  Object weights;  // under the names of the original VITS, without a prefix; they lie in the file
  // What no shape tells: upsample_rates, resblock_dilation_sizes, resblock, use_sdp.
  Object hyper_parameters;
  std::vector<std::string> notes;  // what is not to the bit what was trained

  // The same as Piper's trainer keeps it.
  Object checkpoint() const;
};

// Whether voxport wrote the graph, by its metadata.
bool is_by_voxport(const OnnxModel& model);

// Whether a graph looks like such a voice: by its inputs and the names of its tensors. What voxport
// wrote itself does not: what it was made of has more.
bool is_published_voice(const OnnxModel& model);

// Fails with kUnsupported where anything in the graph is not explained by the network, and names
// it: tensors that are missing, or nobody uses, nodes that are not the network's.
RecoveredVoice recover_voice(const OnnxModel& model);

}  // namespace voxport
