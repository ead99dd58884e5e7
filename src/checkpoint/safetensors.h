// safetensors: a length, a JSON header, one buffer. docs/formats/safetensors.md
#pragma once

#include "checkpoint/checkpoint.h"

namespace voxport {

bool recognise_safetensors(Bytes bytes);
Checkpoint read_safetensors(const Blob& file);

}  // namespace voxport
