#include "checkpoint/scan.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return voxport::fuzz(data, size, [](const voxport::Blob& file) { voxport::scan_file(file); });
}
