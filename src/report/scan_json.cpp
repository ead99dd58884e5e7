#include <nlohmann/json.hpp>
#include <voxport/scan.h>

#include "report/object_text.h"

namespace voxport {

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
