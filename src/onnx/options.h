// What a graph does not say of the model it becomes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace voxport {

// Which types of the values inside of a graph are written, and not only of inputs and outputs.
enum class WrittenTypes {
  kNone,
  // Those that ONNX Runtime is better off with. Where sizes have names it sees which of them are
  // equal: sums join convolutions, memory is used again, and the graph is loaded in less time, for
  // each size that it does not know is looked for among all buffers that are free. Not written is
  // what attention is computed from. Its tensors grow with the square of the steps, and are let go
  // after each layer only if their sizes have other names in the next; but those of sums that can
  // join a convolution are, and of what they add. Where a pass has hidden ranks, or where sizes
  // hold only if an axis is long enough, just these are.
  kForRuntime,
  kAll,
};

struct OnnxOptions {
  // 13 to 21. The graph speaks it, see passes/lower_opset, or opset 17 where that is older.
  int opset = 17;
  // Versions of the other domains that nodes belong to; those not named here are at version 1.
  std::vector<std::pair<std::string, std::int64_t>> domains;
  // Names for sizes of inputs and outputs that are expressions: {"256*frames", "samples"}.
  std::vector<std::pair<std::string, std::string>> axis_names;
  std::string producer_version;
  std::string doc_string;
  std::vector<std::pair<std::string, std::string>> metadata;  // written in this order
  WrittenTypes written_types = WrittenTypes::kNone;
  // A model of more bytes than this keeps its weights of 1 KiB and more in a file beside it.
  // Protobuf reads no message beyond 2 GiB.
  std::uint64_t max_file_bytes = INT32_MAX;
};

}  // namespace voxport
