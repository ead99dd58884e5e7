// How fast a voice is: loading, each stage, streamed and in one piece.
#pragma once

#include <voxport/bench.h>

#include "voice/folder.h"

namespace voxport {

// All of the report but the path.
BenchReport measure_voice(const VoiceFiles& files, const BenchOptions& options);

}  // namespace voxport
