// torch.save of PyTorch 0.1: a tar archive of storages, tensors and a pickle.
// docs/formats/torch_save.md
#pragma once

#include <map>
#include <string>

#include "checkpoint/checkpoint.h"

namespace voxport {

bool recognise_tar(Bytes bytes);

// The members by name. Only regular files, and every block of the archive is accounted for.
std::map<std::string, Blob> read_tar(const Blob& file);

Checkpoint read_torch_tar(const Blob& file);

}  // namespace voxport
