#include "fuzz/target.h"
#include "program/pt2.h"
#include "tests/program/zip_writer.h"

namespace {

using namespace voxport;

void read_program(const Blob& file) {
  const Program program = read_pt2(file);
  for (const ProgramConstant& constant : program.constants) {
    const Tensor& tensor = constant.values;
    // Repeated elements cost time, not insight.
    if (tensor.unreadable.empty() && tensor.size_in_bytes() <= (1U << 20)) contiguous(tensor);
  }
}

}  // namespace

// An archive; or the JSON that stands in one, which a fuzzer can change without minding a CRC.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](const Blob& file) {
    if (ZipArchive::recognise(file.bytes())) return read_program(file);
    read_program(zip_of(
        {{"net/archive_format", "pt2"}, {"net/models/model.json", std::string(file.text())}}));
  });
}
