// Which loaders would take a file for one of theirs, whatever else it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/blob.h"

namespace voxport {

enum class Loader {
  kZip,     // from the end of the file, as Python's zipfile and PyTorch do
  kTar,     // from the start, by the checksum of its header
  kPickle,  // from the first byte
  kOther,   // formats that voxport does not read
};

struct LoaderClaim {
  Loader loader = Loader::kOther;
  std::string what;  // "a zip archive, by its directory before byte 1200"
  // The part of the file that the loader would look at, as far as that can be told.
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

// All of them. Loaders that only ever make tensors (safetensors, ONNX) are not asked.
std::vector<LoaderClaim> claims_on(const Blob& file);

}  // namespace voxport
