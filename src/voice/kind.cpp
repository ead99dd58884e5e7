#include "voice/kind.h"

namespace voxport {

std::span<const VoiceKind* const> voice_kinds() {
  static const VoiceKind* const kKinds[] = {&vits_voice(), &fastspeech2_voice()};
  return kKinds;
}

}  // namespace voxport
