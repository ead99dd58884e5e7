#include <nlohmann/json.hpp>
#include <voxport/export.h>

#include "report/object_text.h"

namespace voxport {

std::string to_json(const ExportReport& report) {
  nlohmann::ordered_json json = {
      {"architecture", report.architecture}, {"sizes", report.sizes}, {"opset", report.opset}};
  if (!report.outputs.empty()) {
    json["inputs"] = report.inputs;
    json["outputs"] = report.outputs;
    json["axes"] = nlohmann::ordered_json::array();
    for (const ExportedAxis& axis : report.axes) {
      nlohmann::ordered_json entry = {{"name", axis.name}, {"dynamic", !axis.fixed_at}};
      if (axis.fixed_at) entry["fixed_at"] = *axis.fixed_at;
      if (axis.fixed_at) entry["fixed_by"] = axis.fixed_by;
      json["axes"].push_back(std::move(entry));
    }
  }
  json["files"] = nlohmann::ordered_json::array();
  for (const ExportedFile& file : report.files) {
    nlohmann::ordered_json entry = {{"path", file.path.string()}, {"bytes", file.bytes}};
    if (file.nodes != 0) entry["nodes"] = file.nodes;
    json["files"].push_back(std::move(entry));
  }
  json["checks"] = report.checks;
  json["notes"] = report.notes;
  json["warnings"] = report.warnings;
  return dump(json);
}

}  // namespace voxport
