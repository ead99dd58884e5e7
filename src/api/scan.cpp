#include <voxport/scan.h>

#include "base/fail.h"
#include "base/stage_clock.h"
#include "scan/whole_file.h"

namespace voxport {
namespace {

Verdict verdict_of(Danger danger) {
  switch (danger) {
    case Danger::kHarmless: return Verdict::kClean;
    case Danger::kUnknown: return Verdict::kSuspicious;
    case Danger::kDangerous: return Verdict::kDangerous;
  }
  return Verdict::kDangerous;
}

}  // namespace

ScanReport scan(const std::filesystem::path& path, const OnStage& on_stage) {
  StageClock clock(on_stage);
  const Blob file = Blob::map_file(path);
  const Scan scan = in_context(cat("scanning ", in_quotes(path.native())),
                               [&] { return scan_whole_file(file, path.parent_path()); });
  clock.done("followed the pickles",
             cat(scan.pickles, scan.pickles == 1 ? " pickle, " : " pickles, ", scan.findings.size(),
                 " names and calls"));
  ScanReport report;
  report.path = path.string();
  report.verdict = verdict_of(scan.verdict);
  report.pickles = scan.pickles;
  report.problems = scan.problems;
  for (const ScanFinding& finding : scan.findings) {
    report.findings.push_back({verdict_of(finding.danger), finding.what, finding.action,
                               finding.place, finding.offset, finding.count});
  }
  return report;
}

}  // namespace voxport
