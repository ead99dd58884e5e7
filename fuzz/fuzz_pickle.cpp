#include <algorithm>

#include "checkpoint/pickle.h"
#include "checkpoint/torch_object.h"
#include "checkpoint/trace.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace voxport;
  return fuzz(data, size, [](const Blob& file) {
    trace_pickle(file);
    const PickleTree tree = read_pickle(file);
    // Every storage exists, has the size the pickle asks for if that is small, and is full of ones.
    const FindPersistent find = [](const PickleValue& id) -> Persistent {
      const StorageId storage = read_storage_id(id);
      TypedStorage typed;
      typed.dtype = storage.dtype;
      typed.untyped = storage.untyped;
      const std::uint64_t bytes = std::min<std::uint64_t>(storage.size, 1 << 12);
      typed.storage = storage_of(Blob::own(std::string(bytes, '\x01')));
      return typed;
    };
    Checkpoint checkpoint;
    checkpoint.root = interpret(tree.root(), find);
    read_everything(checkpoint);
  });
}
