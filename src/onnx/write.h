// A graph becomes an ONNX file. Weights go from where they lie straight to the disk, one at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "graph/graph.h"
#include "onnx/options.h"
#include "onnx/shared_weights.h"

namespace voxport {

// A file that was added, by the name it was asked for under.
struct WrittenFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::filesystem::path readable;  // where it can be read before it has that name
};

// Adds the model to `files` as `path`. Of its weights of 1 KiB and more, those that it has in
// common with others go to the file that they share, if there is one. Where the model would still
// be larger than options.max_file_bytes, the rest goes to a file of its own, `path` with ".data"
// after it. The same graph and options give the same bytes. IR version 7 for opsets 13 and 14, 8
// for 15 to 18, 9 for 19 and 20, 10 for 21. Fails with kUsage for an opset that is none of these or
// names of inputs and outputs that clash, with kUnsupported for an element type that ONNX lacks,
// and as OutputFile does. The model is the first of the files that are returned.
std::vector<WrittenFile> write_onnx(const Graph& graph, const std::filesystem::path& path,
                                    OutputFiles& files, const OnnxOptions& options = {},
                                    const SharedWeights* shared = nullptr);

// Those of the graph's weights that can lie beside it.
std::vector<std::string> hashes_of_weights(const Graph& graph);

// The bytes of the file, for one that is to be run at once. Fails with kUnsupported where it would
// be larger than options.max_file_bytes.
std::string onnx_bytes(const Graph& graph, const OnnxOptions& options = {});

}  // namespace voxport
