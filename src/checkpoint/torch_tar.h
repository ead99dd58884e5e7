// torch.save of PyTorch 0.1: a tar archive of storages, tensors and a pickle.
// docs/formats/torch_save.md
#pragma once

#include <functional>
#include <map>
#include <string>

#include "checkpoint/checkpoint.h"

namespace voxport {

// Whether Python's tarfile would read it, which PyTorch asks before it looks for a stream.
bool recognise_tar(Bytes bytes);

// The members by name. Only regular files, and every block of the archive is accounted for.
std::map<std::string, Blob> read_tar(const Blob& file);

// `listen` is told of each pickle before it is read: its member, what follows in it, and from
// where.
using PickleListener =
    std::function<void(const std::string& member, const Blob& rest, std::uint64_t start)>;
Checkpoint read_torch_tar(const Blob& file, const PickleListener& listen = {});

}  // namespace voxport
