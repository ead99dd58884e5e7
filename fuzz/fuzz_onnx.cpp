#include <cstdlib>

#include "fuzz/target.h"
#include "graph/print.h"
#include "onnx/read.h"
#include "onnx/write.h"

namespace voxport {
namespace {

void read_values(const Graph& graph) {
  for (const Value& constant : graph.constants()) {
    const Tensor& values = *constant.constant();
    if (values.unreadable.empty() && values.size_in_bytes() < (1U << 20)) contiguous(values);
  }
}

// What we write of it, if we can, is a model that we read.
void write_and_read(const OnnxModel& model) {
  std::string bytes;
  try {
    bytes = onnx_bytes(*model.graph, options_of(model));
  } catch (const Error&) {
    return;
  }
  try {
    read_onnx(Blob::own(bytes), "");
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
    std::abort();
  }
}

}  // namespace
}  // namespace voxport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace voxport;
  return fuzz(data, size, [](const Blob& file) {
    const OnnxModel model = read_onnx(file, "/nonexistent");
    read_values(*model.graph);
    print(*model.graph);
    write_and_read(model);
  });
}
