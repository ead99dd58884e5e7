// What the scan of a whole file says, in words that a test can compare.
#pragma once

#include <string>

#include "base/blob.h"
#include "base/text.h"
#include "scan/whole_file.h"

namespace voxport {

inline Scan scan_of(std::string bytes) {
  return scan_whole_file(Blob::own(std::move(bytes)), "/nonexistent");
}

inline std::string verdict_of(const Scan& scan) {
  switch (scan.verdict) {
    case Danger::kHarmless: return "clean";
    case Danger::kUnknown: return "suspicious";
    case Danger::kDangerous: return "dangerous";
  }
  return "";
}

// "suspicious: " and the problems, one after the other.
inline std::string summary_of(const Scan& scan) {
  std::string text = verdict_of(scan);
  for (const std::string& problem : scan.problems)
    text += cat(text == verdict_of(scan) ? ": " : "; ", problem);
  return text;
}

}  // namespace voxport
