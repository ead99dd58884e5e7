#include "checkpoint/trace.h"
#include "fuzz/target.h"

// The bytes are a pickle from their start, without a container around it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return voxport::fuzz(data, size, [](const voxport::Blob& file) { voxport::trace_pickle(file); });
}
