#include <nlohmann/json.hpp>
#include <voxport/scan.h>

#include "api/object_text.h"
#include "api/stage_clock.h"
#include "base/fail.h"
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

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kClean: return "clean";
    case Verdict::kSuspicious: return "suspicious";
    case Verdict::kDangerous: return "dangerous";
  }
  return "";
}

std::string to_json(const ScanReport& report) {
  nlohmann::ordered_json json = {
      {"path", report.path}, {"verdict", to_string(report.verdict)}, {"pickles", report.pickles}};
  json["problems"] = report.problems;
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : report.findings) {
    json["findings"].push_back({{"verdict", to_string(finding.verdict)},
                                {"what", finding.what},
                                {"action", finding.action},
                                {"place", finding.place},
                                {"offset", finding.offset},
                                {"count", finding.count}});
  }
  return dump(json);
}

}  // namespace voxport
