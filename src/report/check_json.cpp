#include <cmath>

#include <nlohmann/json.hpp>
#include <voxport/check.h>

#include "report/object_text.h"

namespace voxport {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<CheckCulprit>& culprit) {
  if (!culprit) return nullptr;
  return {{"node", culprit->node},     {"op", culprit->op},     {"position", culprit->position},
          {"holder", culprit->holder}, {"path", culprit->path}, {"cause", culprit->cause},
          {"fix", culprit->fix}};
}

std::string_view name_of(CheckAxis::Verdict verdict) {
  switch (verdict) {
    case CheckAxis::kDynamic: return "dynamic";
    case CheckAxis::kLimited: return "limited";
    case CheckAxis::kFixed: return "fixed";
    case CheckAxis::kLinked: return "linked";
    case CheckAxis::kRequired: return "required";
    case CheckAxis::kCouldBeDynamic: return "could be dynamic";
  }
  return "";
}

Json json_of(const CheckAxis& axis) {
  Json json = {{"name", axis.name}, {"verdict", name_of(axis.verdict)}, {"text", axis.text()}};
  json["places"] = Json::array();
  for (const auto& [input, number] : axis.places)
    json["places"].push_back({{"input", input}, {"axis", number}});
  json["good"] = axis.good;
  json["bad"] = axis.bad;
  if (axis.low) json[axis.verdict == CheckAxis::kDynamic ? "minimum" : "low"] = *axis.low;
  if (axis.high) json[axis.verdict == CheckAxis::kDynamic ? "maximum" : "high"] = *axis.high;
  if (axis.multiple > 1) json["multiple"] = axis.multiple;
  if (axis.size > 0) json["size"] = axis.size;
  if (!axis.linked_to.empty()) json["linked_to"] = axis.linked_to;
  if (!axis.error.empty()) json["error"] = axis.error;
  if (axis.culprit)
    json[axis.verdict == CheckAxis::kDynamic ? "needed_by" : "culprit"] = json_of(axis.culprit);
  if (axis.table) json["limited_by"] = json_of(axis.table);
  return json;
}

Json json_of(const CheckOutput& output) {
  Json json = {{"name", output.name},     {"axis", output.axis},    {"declared", output.declared},
               {"actual", output.actual}, {"true", output.is_true}, {"remark", output.remark}};
  if (output.culprit) json["culprit"] = json_of(output.culprit);
  return json;
}

// JSON has no infinity.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const CheckedCase& one) {
  Json json = {{"name", one.name}, {"good", one.is_good()}};
  if (!one.error.empty()) json["error"] = one.error;
  json["outputs"] = Json::array();
  for (const CheckedTensor& output : one.outputs) {
    Json entry = {{"name", output.name}, {"good", output.is_good}};
    if (!output.problem.empty()) {
      entry["problem"] = output.problem;
    } else {
      entry["largest"] = finite(output.largest);
      entry["relative"] = finite(output.relative);
      entry["at"] = output.at;
      entry["found"] = finite(output.found);
      entry["expected"] = finite(output.expected);
      entry["histogram"] = output.histogram;
    }
    json["outputs"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string to_json(const CheckReport& report) {
  Json json = {{"path", report.path},       {"good", report.is_good()},
               {"nodes", report.nodes},     {"runs", report.runs},
               {"seconds", report.seconds}, {"cut_short", report.is_cut_short}};
  if (!report.error.empty()) json["error"] = report.error;
  if (report.culprit) json["culprit"] = json_of(report.culprit);
  json["inputs"] = Json::object();
  for (const auto& [name, meaning] : report.inputs) json["inputs"][name] = meaning;
  json["axes"] = Json::array();
  for (const CheckAxis& axis : report.axes) json["axes"].push_back(json_of(axis));
  json["outputs"] = Json::array();
  for (const CheckOutput& output : report.outputs) json["outputs"].push_back(json_of(output));
  json["consistency"] = Json::array();
  for (const CheckConsistency& fact : report.consistency)
    json["consistency"].push_back({{"what", fact.what},
                                   {"tried", fact.was_tried},
                                   {"good", fact.is_good},
                                   {"remark", fact.remark}});
  json["notes"] = report.notes;
  json["cases"] = Json::array();
  for (const CheckedCase& one : report.cases) json["cases"].push_back(json_of(one));
  return dump(json);
}

}  // namespace voxport
