// Inputs that have no effect on any output.
#pragma once

#include <string>
#include <vector>

#include "verify/budget.h"
#include "verify/model.h"

namespace voxport {

// A sentence for each input from which no path leads to an output, and for each number of a short
// list of floats that changes no output: "scales[0] changes no output: ...". Such a number has no
// path, or no output differed when it was another: several, beside zero and other scales (noise
// changes nothing beside a scale of 0), and at two sizes of every axis.
//
// Only paths are looked at where the model draws noise, has no dynamic axis or gives no finite real
// numbers; also where the caller gives the numbers, and where ONNX Runtime may not survive others:
// whole numbers are divided by them, or they decide on sizes and nothing tells which would be
// right. Other inputs are not varied: a mask, a state or an embedding may have an effect that only
// certain values of the others show.
//
// `base` are sizes at which the model runs. No more than a fifth of the time is used.
std::vector<std::string> inputs_without_effect(const Subject& subject, const Sizes& base,
                                               const TimeBudget& budget);

}  // namespace voxport
