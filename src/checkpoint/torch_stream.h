// torch.save before PyTorch 1.6: five pickles in a row, then the storages.
// docs/formats/torch_save.md
#pragma once

#include "checkpoint/checkpoint.h"

namespace voxport {

bool recognise_torch_stream(Bytes bytes);
Checkpoint read_torch_stream(const Blob& file);

}  // namespace voxport
