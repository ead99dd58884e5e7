// What every function of voxport.h that can fail consists of: work inside of guarded(), from which
// no exception comes out.
#pragma once

#include <string_view>

#include <voxport/voxport.h>

#include "base/fail.h"

namespace voxport::c {

// The code of the exception that is being handled; `*error` is told the rest, where it is asked
// for.
int code_of_current_exception(voxport_error** error) noexcept;

// Runs `body`, which gives a code, or fails.
template <class Body>
int guarded(voxport_error** error, Body&& body) noexcept {
  if (error) *error = nullptr;
  try {
    return body();
  } catch (...) {
    return code_of_current_exception(error);
  }
}

// An argument that must not be NULL.
template <class Type>
Type* required(std::string_view name, Type* argument) {
  if (!argument) fail(Error::kUsage, "the argument ", in_quotes(name), " is NULL");
  return argument;
}

}  // namespace voxport::c
