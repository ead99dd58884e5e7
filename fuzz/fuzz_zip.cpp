#include "checkpoint/zip.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace voxport;
  return fuzz(data, size, [](const Blob& file) {
    const ZipArchive archive(file);
    for (const ZipEntry& entry : archive.entries()) {
      if (entry.size > (1U << 20)) continue;  // a real bomb is read slowly, not wrongly
      try {
        archive.read(entry);
      } catch (const Error&) {
      }
    }
  });
}
