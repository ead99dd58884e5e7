#include <nlohmann/json.hpp>
#include <voxport/export.h>

#include "report/object_text.h"

namespace voxport {
namespace {

nlohmann::ordered_json to_json(const ExportedAxis& axis) {
  nlohmann::ordered_json json = {{"name", axis.name}, {"dynamic", !axis.fixed_at}};
  if (!axis.file.empty()) json["file"] = axis.file;
  if (axis.fixed_at) json["fixed_at"] = *axis.fixed_at;
  if (axis.fixed_at) json["fixed_by"] = axis.fixed_by;
  if (!axis.verdict.empty()) json["verdict"] = axis.verdict;
  if (!axis.needed_by.empty()) json["needed_by"] = axis.needed_by;
  if (!axis.fixed_at) json["ran_at"] = axis.sizes;
  if (axis.low) json["at_least"] = *axis.low;
  if (axis.high) json["at_most"] = *axis.high;
  if (axis.multiple > 1) json["multiple_of"] = axis.multiple;
  return json;
}

}  // namespace

std::string to_json(const ExportReport& report) {
  nlohmann::ordered_json json = {
      {"architecture", report.architecture}, {"sizes", report.sizes}, {"opset", report.opset}};
  if (!report.outputs.empty()) {
    json["inputs"] = report.inputs;
    json["outputs"] = report.outputs;
  }
  if (!report.outputs.empty() || !report.axes.empty()) {
    json["axes"] = nlohmann::ordered_json::array();
    for (const ExportedAxis& axis : report.axes) json["axes"].push_back(to_json(axis));
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
