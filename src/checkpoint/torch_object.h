// What a pickle means to PyTorch: storages, tensors, parameters, modules and the small change
// around them. docs/formats/torch_save.md lists every global that is given a meaning here.
#pragma once

#include <functional>
#include <memory>

#include "checkpoint/object.h"
#include "checkpoint/pickle.h"

namespace voxport {

// A storage with the element type that its pickled class names.
struct TypedStorage {
  DType dtype = DType::kUInt8;
  bool untyped = false;                    // UntypedStorage: bytes, the tensor brings the dtype
  std::shared_ptr<const Storage> storage;  // null for the meta device, which has no bytes
};

// What a persistent id stands for: a storage, or in the oldest format a whole tensor.
using Persistent = std::variant<TypedStorage, Tensor>;

// Gives the thing behind a persistent id, or fails with kCorrupt.
using FindPersistent = std::function<Persistent(const PickleValue& id)>;

// Reads ('storage', StorageClass, key, location, numel, ...), the id of a storage in the zip and
// stream formats. Fails with kCorrupt when it has another form.
struct StorageId {
  DType dtype = DType::kUInt8;
  bool untyped = false;
  std::string_view key;
  std::string_view location;
  std::uint64_t size = 0;             // in bytes
  const PickleValue* view = nullptr;  // the sixth field, where there is one
};
StorageId read_storage_id(const PickleValue& id);

// Whether it is ('module', class, file, source), as streams name the classes of whole modules.
bool is_module_id(const PickleValue& id);

// The part of a storage from one element on; fails with kCorrupt when it does not lie inside.
std::shared_ptr<const Storage> part_of(const Storage& whole, DType dtype, std::int64_t offset,
                                       std::int64_t numel);

// The dtype of torch.FloatStorage and its like; fails with kCorrupt for a class that is none.
TypedStorage read_storage_class(const PickleValue& storage_class);

// The whole pickle as plain values. Tensors are views of what `find_persistent` gives. Fails with
// kCorrupt when a tensor does not fit its storage, or when the values nest too deep or are too
// many.
Object interpret(const PickleValue& root, const FindPersistent& find_persistent);

// The same of the whole pickle. Fails also where something does not fit that a loader makes on the
// way and the root does not hold: keys, and values that are dropped.
Object interpret(const PickleTree& tree, const FindPersistent& find_persistent);

// For pickles that may not refer to anything outside.
Persistent no_persistent(const PickleValue& id);

}  // namespace voxport
