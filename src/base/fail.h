// fail(kind, parts...) is how everything in voxport fails.
#pragma once

#include <voxport/error.h>

#include "base/text.h"

namespace voxport {

template <class... Parts>
[[noreturn]] void fail(Error::Kind kind, const Parts&... parts) {
  throw Error(kind, cat(parts...));
}

// The same, of a message that is about an option of the public headers (Error::option).
template <class... Parts>
[[noreturn]] void fail_about(std::string_view option, Error::Kind kind, const Parts&... parts) {
  Error error(kind, cat(parts...));
  error.set_option(option);
  throw error;
}

// Without the context that the lines below it give.
inline std::string first_line(const Error& error) {
  const std::string_view text = error.what();
  return std::string(text.substr(0, text.find('\n')));
}

// Runs `body`; an Error on its way out is told what was being done.
template <class Body>
auto in_context(std::string_view doing, Body&& body) {
  try {
    return body();
  } catch (Error& error) {
    error.add_context(doing);
    throw;
  }
}

}  // namespace voxport
