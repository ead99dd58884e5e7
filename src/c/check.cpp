#include <voxport/check.h>

#include "c/options.h"
#include "c/report.h"

namespace voxport::c {
namespace {

CheckOptions options_of(const voxport_check_options* from) {
  const voxport_check_options given = take_options(from);
  CheckOptions options;
  options.quick = given.quick != 0;
  options.sizes = sizes_of("sizes", given.sizes);
  options.allow_multiple = given.allow_multiple != 0;
  options.seconds = number_of(given.seconds).value_or(options.seconds);
  options.inputs = pairs_of("inputs", given.inputs);
  options.references = paths_of("references", given.references);
  options.tolerance = number_of(given.tolerance).value_or(options.tolerance);
  options.on_stage = on_stage_of(given);
  options.on_progress = on_progress_of(given);
  return options;
}

}  // namespace
}  // namespace voxport::c

int voxport_check(const char* model, const voxport_check_options* options, voxport_report** report,
                  voxport_error** error) {
  using namespace voxport;
  return c::report_of(report, error, [&] {
    CheckReport checked = check_model(c::required("model", model), c::options_of(options));
    const int code = checked.is_good() ? VOXPORT_OK : VOXPORT_CHECK_FAILED;
    return voxport_report{to_json(checked), code, faults_text(checked), std::move(checked)};
  });
}
