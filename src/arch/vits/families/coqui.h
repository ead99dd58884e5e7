// Coqui's VITS: model_file.pth, best_model.pth or checkpoint_N.pth, with config.json and the files
// of speakers and languages. github.com/idiap/coqui-ai-TTS, TTS/tts/models/vits.py.
#pragma once

#include "arch/vits/family.h"

namespace voxport::vits {

bool is_coqui(const NamedTensors& tensors);
NamedTensors rename_coqui(const NamedTensors& tensors);
Translation translate_coqui(const FamilySource& source);

}  // namespace voxport::vits
