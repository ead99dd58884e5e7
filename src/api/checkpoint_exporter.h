// How a checkpoint becomes a voice that speaks: the room `export`, handed to the room `voice`.
#pragma once

#include "voice/cache.h"

namespace voxport {

CheckpointExporter checkpoint_exporter();

}  // namespace voxport
