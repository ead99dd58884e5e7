// What must hold of a model without any reference.
#pragma once

#include <string>
#include <vector>

#include <voxport/check.h>

#include "verify/budget.h"
#include "verify/model.h"

namespace voxport {

// A row of a batch is the same row alone; padding that is declared as such changes nothing before
// the end. `base` are sizes at which the model runs. What the model's own metadata calls its
// receptive field is left out at the end of a row; where it says that padding is heard, what
// padding changes is told and not judged. A run takes `run_seconds` at most; what there is no time
// for is not tried.
std::vector<CheckConsistency> check_consistency(const Subject& subject, const Sizes& base,
                                                const TimeBudget& budget, double run_seconds);

}  // namespace voxport
