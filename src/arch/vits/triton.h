// What Triton needs beside the graphs of a voice: a model repository.
//
//   NAME_encoder/config.pbtxt   NAME_encoder/1/model.onnx
//   NAME_decoder/config.pbtxt   NAME_decoder/1/model.onnx
//   README.md
//
// In a config, axis 0 of each input and output is the batch, which Triton makes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace voxport::vits {

// The config of a graph whose requests may be joined to batches.
std::string triton_batching_config(const std::string& name, const Graph& graph);
// The config of a graph that is given pieces of sequences, each in rows of its own: it takes first,
// last and state, and gives next_state (see arch/blocks/row_caches.h).
std::string triton_sequence_config(const std::string& name, const Graph& graph);

// How a client calls both.
struct TritonVoice {
  std::string name;
  const Graph& encoder;
  const Graph& decoder;
  std::int64_t sample_rate;
  std::int64_t hop_length;
  std::int64_t frames_ahead;  // that samples are made of
};
std::string triton_readme(const TritonVoice& voice);

// A name for models, of a checkpoint's: letters, digits, '.', '_' and '-' stay.
std::string triton_name(std::string_view name);

}  // namespace voxport::vits
