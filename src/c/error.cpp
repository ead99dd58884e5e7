#include "c/error.h"

#include <memory>
#include <new>

#include "report/failure.h"

// NOLINTNEXTLINE(readability-identifier-naming)
struct voxport_error {
  voxport::Failure failure;
};

namespace voxport::c {
namespace {

// What C returns is what the command line exits with.
constexpr bool is_it(voxport_code code, ExitCode exit_code) {
  return static_cast<int>(code) == static_cast<int>(exit_code);
}
static_assert(is_it(VOXPORT_OK, kExitDone) && is_it(VOXPORT_CHECK_FAILED, kExitCheckFailed) &&
              is_it(VOXPORT_USAGE, kExitUsage) && is_it(VOXPORT_UNREADABLE, kExitUnreadable) &&
              is_it(VOXPORT_UNSUPPORTED, kExitUnsupported) &&
              is_it(VOXPORT_DANGEROUS, kExitDangerous) &&
              is_it(VOXPORT_UNWRITABLE, kExitUnwritable) && is_it(VOXPORT_INTERNAL, kExitInternal));

// What there is no memory for another one of.
voxport_error& no_memory() {
  static voxport_error error{{kExitUnsupported, "no memory", ""}};  // short: allocates nothing
  return error;
}

std::unique_ptr<voxport_error> current_error() {
  return std::make_unique<voxport_error>(voxport_error{current_failure()});
}

}  // namespace

int code_of_current_exception(voxport_error** error) noexcept {
  try {
    std::unique_ptr<voxport_error> made = current_error();
    const int code = made->failure.code;
    if (error) *error = made.release();
    return code;
  } catch (...) {
    if (error) *error = &no_memory();
    return no_memory().failure.code;
  }
}

}  // namespace voxport::c

int voxport_error_code(const voxport_error* error) {
  return error ? int{error->failure.code} : int{VOXPORT_OK};
}

const char* voxport_error_text(const voxport_error* error) {
  return error ? error->failure.text.c_str() : "";
}

const char* voxport_error_option(const voxport_error* error) {
  return error ? error->failure.option.c_str() : "";
}

void voxport_error_free(voxport_error* error) {
  if (error != &voxport::c::no_memory()) delete error;
}
