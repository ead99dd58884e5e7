// Applies a row of the table to a call, by the kinds of tensors the call is given.
#pragma once

#include "lower/resolve.h"
#include "lower/table.h"
#include "lower/walk.h"

namespace voxport {

// Complex tensors go to the row's own function for them or, where it has the trait, part by part.
// Fails with kUnsupported where the row has neither, or is given nested tensors that it does not
// take.
Item apply(Walk& walk, const Operator& row, const ProgramCall& call, const ResolvedCall& resolved);

}  // namespace voxport
