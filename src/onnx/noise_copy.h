// A copy of a model whose noise comes in from outside, so that a run can be repeated.
#pragma once

#include <string>

#include "base/blob.h"

namespace voxport {

// What the input of such a copy is called: normal noise, float32 [n], of which the nodes take their
// parts one after the other. A run that is given too little fails, and names a node of that name.
inline constexpr const char* kNoiseInput = "voxport_noise";

// Where the model draws normal noise (RandomNormalLike), it takes it from kNoiseInput instead.
// Empty when it draws none. Fails with kCorrupt when the bytes are no model, and with kUnsupported
// when weights lie in other files.
std::string noise_copy(Bytes model);

}  // namespace voxport
