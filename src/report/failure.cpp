#include "report/failure.h"

#include <exception>
#include <new>

#include "base/printable.h"
#include "base/text.h"

namespace voxport {

Failure current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return {exit_code_of(error), printable_lines(error.what()), error.option()};
  } catch (const std::bad_alloc&) {
    return {kExitUnsupported, "there is not enough memory", ""};
  } catch (const std::exception& error) {  // ours to mend
    return {kExitInternal, printable_lines(cat("internal error: ", error.what())), ""};
  } catch (...) {
    return {kExitInternal, "internal error: an exception of an unknown type", ""};
  }
}

}  // namespace voxport
