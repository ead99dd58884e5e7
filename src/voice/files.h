// Which files a voice consists of.
#pragma once

#include <filesystem>

#include <voxport/speak.h>

#include "voice/cache.h"
#include "voice/folder.h"

namespace voxport {

// The files of an exported folder or a graph. A checkpoint, or the one in a folder, is exported to
// the cache first, unless the same was before (voice/cache.h). Fails with kUnreadable, naming what
// was looked for, when one is not there, and with kUsage when there are two voices in a folder.
VoiceFiles find_voice(const std::filesystem::path& path, const VoiceOptions& options,
                      const CheckpointExporter& exporter);

}  // namespace voxport
