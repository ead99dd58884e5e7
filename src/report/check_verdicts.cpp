#include <algorithm>

#include <voxport/check.h>

#include "base/text.h"

namespace voxport {

std::string CheckAxis::text() const {
  switch (verdict) {
    case kDynamic: return low ? cat("dynamic, at least ", *low) : "dynamic";
    case kFixed: return cat("fixed at ", size);
    case kLinked: return cat("dynamic, together with ", linked_to);
    case kRequired: return cat("required to be ", size);
    case kCouldBeDynamic: return cat("declared ", size, ", could be dynamic");
    case kLimited: break;
  }
  if (multiple > 1) return cat("limited to multiples of ", multiple);
  if (low && high) return cat("limited to ", *low, "..", *high);
  if (high) return cat("limited to ", *high, " or less");
  if (low) return cat("limited to ", *low, " or more");
  return "limited";
}

std::string CheckAxis::needed_by() const {
  if (verdict != kDynamic || !culprit) return "";
  return cat(culprit->op, " ", in_quotes(culprit->node), culprit->holder.empty() ? "" : ", ",
             culprit->holder);
}

bool CheckAxis::is_good() const {
  return verdict == kDynamic || verdict == kLinked || verdict == kRequired;
}

bool CheckedCase::is_good() const {
  return error.empty() && std::all_of(outputs.begin(), outputs.end(),
                                      [](const CheckedTensor& output) { return output.is_good; });
}

bool CheckReport::is_good() const {
  bool good = error.empty();
  for (const CheckAxis& axis : axes) good &= axis.is_good();
  for (const CheckOutput& output : outputs) good &= output.is_true;
  for (const CheckConsistency& fact : consistency) good &= fact.is_good;
  for (const CheckedCase& one : cases) good &= one.is_good();
  return good;
}

}  // namespace voxport
