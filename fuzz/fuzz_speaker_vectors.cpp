#include "arch/vits/families/d_vectors.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace voxport;
  return fuzz(data, size, [](const Blob& file) { vits::speaker_vectors_in(file.text(), 2); });
}
