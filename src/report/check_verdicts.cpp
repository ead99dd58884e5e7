#include <algorithm>

#include <voxport/check.h>

#include "base/join.h"
#include "base/text.h"

namespace voxport {

namespace {

std::string dynamic_text(const CheckAxis& axis) {
  return cat("dynamic", axis.multiple > 1 ? cat(" in multiples of ", axis.multiple) : "",
             axis.low ? cat(", at least ", *axis.low) : "",
             axis.high ? cat(", at most ", *axis.high, axis.table ? "" : " as declared") : "");
}

std::string node_text(const CheckCulprit& node) {
  return cat(node.op, " ", in_quotes(node.node), node.holder.empty() ? "" : ", ", node.holder);
}

// Of sizes that ran or did not, the first few.
std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  constexpr std::ptrdiff_t kMostShown = 6;
  const std::vector shown(sizes.begin(), sizes.begin() + std::min(std::ssize(sizes), kMostShown));
  return join(shown, ", ", [](std::int64_t size) { return cat(size); });
}

std::string by_text(const std::optional<CheckCulprit>& culprit) {
  return culprit ? " by " + node_text(*culprit) : "";
}

std::string fault_of(const CheckAxis& axis) {
  return cat(printable(axis.name), " is ", axis.text(), by_text(axis.culprit));
}

std::string fault_of(const CheckOutput& output) {
  return cat("axis ", output.axis, " of output ", in_quotes(output.name), " is declared ",
             printable(output.declared), ": ", printable(output.remark), by_text(output.culprit));
}

std::string fault_of(const CheckedCase& one, const CheckedTensor& output) {
  return cat("in case ", in_quotes(one.name), ", output ", in_quotes(output.name), " ",
             output.problem.empty()
                 ? cat("differs by ", output.largest, " at ", shape_text(output.at), ": ",
                       output.found, ", expected ", output.expected)
                 : printable(output.problem));
}

void add_faults(const CheckedCase& one, std::vector<std::string>& faults) {
  if (!one.error.empty())
    faults.push_back(cat("case ", in_quotes(one.name), ": ", printable(one.error)));
  for (const CheckedTensor& output : one.outputs)
    if (!output.is_good) faults.push_back(fault_of(one, output));
}

}  // namespace

std::string faults_text(const CheckReport& report) {
  std::vector<std::string> faults;
  if (!report.error.empty())
    faults.push_back(
        cat("it does not run at any size that was tried: ", printable(report.error, 400),
            report.culprit ? "; because of " + node_text(*report.culprit) : ""));
  for (const CheckAxis& axis : report.axes)
    if (!axis.is_good()) faults.push_back(fault_of(axis));
  for (const CheckOutput& output : report.outputs)
    if (!output.is_true) faults.push_back(fault_of(output));
  for (const CheckConsistency& fact : report.consistency)
    if (!fact.is_good) faults.push_back(cat("not so: ", fact.what, "; ", printable(fact.remark)));
  for (const CheckedCase& one : report.cases) add_faults(one, faults);
  return join(faults, "\n");
}

std::string CheckAxis::text() const {
  switch (verdict) {
    case kDynamic: return dynamic_text(*this);
    case kFixed: return cat("fixed at ", size);
    case kLinked: return cat("dynamic, together with ", linked_to);
    case kRequired: return cat("required to be ", size);
    case kCouldBeDynamic: return cat("declared ", size, ", could be dynamic");
    case kLimited: break;
  }
  if (has_gaps) return cat("limited: ", sizes_text(good), " ran, but not ", sizes_text(bad));
  if (multiple > 1) return dynamic_text(*this);
  if (low && high) return cat("limited to ", *low, "..", *high);
  if (high) return cat("limited to ", *high, " or less");
  if (low) return cat("limited to ", *low, " or more");
  return "limited";
}

std::string CheckAxis::needed_by() const {
  if (verdict != kDynamic) return "";
  std::vector<std::string> nodes;
  for (const auto* node : {&culprit, &table})
    if (*node) nodes.push_back(node_text(**node));
  return join(nodes, " and ");
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
