// What a graph does not say of the model it becomes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace voxport {

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
  // Whether the types of the values inside are written too, and not only of inputs and outputs.
  bool value_info = false;
  // Whether at least those of sums of a convolution's output are written, and of what they add,
  // where all have one shape: ONNX Runtime lets a sum join a convolution only where it knows them
  // to be the same.
  bool sum_types = false;
  // A model of more bytes than this keeps its weights of 1 KiB and more in a file beside it.
  // Protobuf reads no message beyond 2 GiB.
  std::uint64_t max_file_bytes = INT32_MAX;
};

}  // namespace voxport
