#include <voxport/inspect.h>
#include <voxport/scan.h>

#include "c/options.h"
#include "c/report.h"

namespace voxport::c {
namespace {

InspectOptions options_of(const voxport_inspect_options* from) {
  const voxport_inspect_options given = take_options(from);
  InspectOptions options;
  options.stats = given.stats != 0;
  options.model = text_of(given.model);
  options.on_stage = on_stage_of(given);
  options.on_progress = on_progress_of(given);
  return options;
}

}  // namespace
}  // namespace voxport::c

int voxport_inspect(const char* path, const voxport_inspect_options* options,
                    voxport_report** report, voxport_error** error) {
  using namespace voxport;
  return c::report_of(report, error, [&] {
    return voxport_report{to_json(inspect(c::required("path", path), c::options_of(options)))};
  });
}

int voxport_scan(const char* path, const voxport_scan_options* options, voxport_report** report,
                 voxport_error** error) {
  using namespace voxport;
  return c::report_of(report, error, [&] {
    const ScanReport scanned =
        scan(c::required("path", path), c::on_stage_of(c::take_options(options)));
    return voxport_report{to_json(scanned),
                          scanned.verdict == Verdict::kClean ? VOXPORT_OK : VOXPORT_DANGEROUS};
  });
}
