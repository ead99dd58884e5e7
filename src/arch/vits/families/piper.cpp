#include "arch/vits/families/piper.h"

namespace voxport::vits {

bool is_piper(const NamedTensors& tensors) {
  return tensors.find("model_g.enc_p.emb.weight") != nullptr;
}

// The hyper-parameters are in the checkpoint, and the config is the voice's.
Translation translate_piper(const FamilySource& source) { return {{}, source.config_text(), {}}; }

}  // namespace voxport::vits
