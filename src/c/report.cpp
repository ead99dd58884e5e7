#include "c/report.h"

const char* voxport_report_json(const voxport_report* report) {
  return report ? report->json.c_str() : "";
}

const char* voxport_report_html(voxport_report* report) {
  if (!report || !report->check) return "";
  try {
    if (report->html.empty()) report->html = voxport::to_html(*report->check);
  } catch (...) {  // there is no memory for it
    return "";
  }
  return report->html.c_str();
}

int voxport_report_code(const voxport_report* report) {
  return report ? report->code : VOXPORT_USAGE;
}

const char* voxport_report_faults(const voxport_report* report) {
  return report ? report->faults.c_str() : "";
}

void voxport_report_free(voxport_report* report) { delete report; }
