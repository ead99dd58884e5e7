// voxport_report: what export, check, inspect and scan found.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <voxport/check.h>

#include "c/error.h"

// NOLINTNEXTLINE(readability-identifier-naming)
struct voxport_report {
  std::string json;
  int code = VOXPORT_OK;
  std::string faults = {};
  std::optional<voxport::CheckReport> check = {};  // what a page can be made of
  std::string html = {};                           // made when it is asked for
};

namespace voxport::c {

// guarded(), of work that makes a report.
template <class Make>
int report_of(voxport_report** report, voxport_error** error, Make&& make) noexcept {
  return guarded(error, [&] {
    required("report", report);
    *report = std::make_unique<voxport_report>(make()).release();
    return VOXPORT_OK;
  });
}

}  // namespace voxport::c
