// A published voice of any bytes: its graph is read as terms and compared with the network.
#include "checkpoint/named_tensors.h"
#include "fuzz/target.h"
#include "onnx/read.h"
#include "recover/recover.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace voxport;
  return fuzz(data, size, [](const Blob& file) {
    const OnnxModel model = read_onnx(file, "/nonexistent", InnerTypes::kDeclared);
    is_published_voice(model);
    Checkpoint checkpoint;
    checkpoint.root = recover_voice(model).checkpoint();
    read_everything(checkpoint);
  });
}
