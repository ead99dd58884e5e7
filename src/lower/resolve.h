// The schema that a call means, and its arguments by name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lower/item.h"
#include "lower/walk.h"
#include "program/schema.h"

namespace voxport {

struct ResolvedCall {
  const Schema* schema = nullptr;  // null for an operator whose schema is not known
  NamedItems arguments;            // defaults included
};

// Finds the overload by the arguments where the call does not name it, as TorchScript does: the
// first that fits as it is, else the first that fits when tensors may stand for numbers, numbers
// for tensors and ints for floats. Fails with kUnsupported when none does.
ResolvedCall resolve(const Walk& walk, const ProgramCall& call);

}  // namespace voxport
