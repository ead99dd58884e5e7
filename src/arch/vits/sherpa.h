// What sherpa-onnx needs beside a graph.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "arch/vits/voice_config.h"

namespace voxport::vits {

// What sherpa-onnx asks of the metadata of a model, and of the file tokens.txt beside it.
//
// A voice with rules of text is one of Coqui's to it, which alone takes our inputs without Piper's
// way of framing: its front end of characters, or of espeak-ng, with the voice's own blank, bos and
// eos. Its front end of characters changes no text but capitals of ASCII, so that what the rules do
// to single characters is in the tokens: a capital has the id of its small letter.
//
// Fails with kUsage when the config has no phoneme_id_map, and for rules that sherpa-onnx cannot
// follow: phonemes of a type that it does not make, a bos without an eos, no comma to end with; and
// for a voice of several languages and one speaker.
struct SherpaFiles {
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string tokens;
};
SherpaFiles sherpa_files(const VoiceConfig& voice);

}  // namespace voxport::vits
