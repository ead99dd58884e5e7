#include "fuzz/target.h"
#include "program/torchscript.h"
#include "tests/program/torchscript_files.h"

// An archive; or source alone, of the class Net, since a fuzzer does not get past a zip's
// checksums.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace voxport;
  return fuzz(data, size, [](const Blob& file) {
    const bool is_archive = file.text().starts_with("PK");
    read_torchscript(is_archive ? file : torchscript_of({std::string(file.text())}));
  });
}
