// The ids of a text, without a network.
#pragma once

#include "voice/files.h"

namespace voxport {

// What read_ids() of speak.h does, of these files.
std::vector<std::string> read_ids(const VoiceFiles& files, const TextSource& text,
                                  const VoiceOptions& options, const SpeakOptions& speak,
                                  const OnUtterance& take);

}  // namespace voxport
