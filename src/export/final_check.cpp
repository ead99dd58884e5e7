#include "export/final_check.h"

#include <algorithm>

#include "base/fail.h"
#include "base/join.h"
#include "graph/dim.h"
#include "runtime/library.h"
#include "verify/sweep.h"

namespace voxport {
namespace {

bool has_runtime() {
  try {
    runtime_version();
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Of an axis that does not run at every size that was tried.
std::string limit_text(const CheckAxis& axis) {
  return cat("axis ", in_quotes(axis.name), " is ", axis.text(), ": ", axis.error);
}

// Under kAsTold, a fixed axis is not among them, nor one that is limited or moves together with
// another: the program itself may run at no other sizes.
std::string problem_in(const SweepReport& report, ExportCheck::Promise promise) {
  if (!report.error.empty()) return report.error;
  const bool may_be_limited = promise == ExportCheck::Promise::kAsTold;
  for (const CheckAxis& axis : report.axes)
    if (!axis.is_good() && !may_be_limited) return limit_text(axis);
  for (const CheckOutput& output : report.outputs)
    if (!output.is_true)
      return cat("axis ", output.axis, " of ", in_quotes(output.name), ", declared as ",
                 in_quotes(output.declared), ", ", output.remark);
  return "";
}

bool is_limited(const CheckAxis& axis) { return axis.verdict == CheckAxis::kLimited; }

// Of an axis that a window gives a least size.
std::string least_size_note(const CheckAxis& axis, const std::string& name) {
  const std::string node = axis.needed_by();
  return cat(printable(name), ": axis ", in_quotes(axis.name), " is at least ", *axis.low,
             node.empty() ? "" : ", by ", node);
}

// Whether the runs of an axis of this file are those of this one, which it may declare as 8*frames.
bool is_of(const CheckAxis& axis, const std::string& file, const ExportedAxis& exported) {
  if (exported.fixed_at || (!exported.file.empty() && exported.file != file)) return false;
  const auto size = Dim::try_parse(axis.name);
  return axis.name == exported.name ||
         (size && size->symbols() == std::vector<std::string>{exported.name});
}

void describe(const CheckAxis& axis, ExportedAxis& exported) {
  exported.name = axis.name;
  exported.verdict = axis.text();
  exported.needed_by = axis.needed_by();
  exported.sizes = axis.good;
  exported.low = axis.low;
  exported.high = axis.high;
  exported.multiple = axis.multiple;
}

// What is true of the axes of graphs that ran at every size that was tried: "all axes dynamic", or
// which of them the program fixed.
std::string text_of_axes(const ExportReport& report, ExportCheck::Promise promise) {
  if (promise == ExportCheck::Promise::kAllDynamic) return ", all axes dynamic";
  if (report.axes.empty()) return ", no axis is dynamic";
  const bool is_any_fixed = std::ranges::any_of(
      report.axes, [](const ExportedAxis& axis) { return axis.fixed_at.has_value(); });
  if (!is_any_fixed) return ", all axes dynamic";
  return ", " + join(report.axes, ", ", [](const ExportedAxis& axis) {
           return cat(printable(axis.name),
                      axis.fixed_at ? cat(" fixed at ", *axis.fixed_at) : " dynamic");
         });
}

}  // namespace

ExportCheck::Outcome ExportCheck::check_graph(const std::filesystem::path& readable,
                                              const std::string& name, Promise promise,
                                              CheckTime& time) {
  const auto incomplete = [&](std::size_t runs, const std::string& why) {
    const std::string what = " was not run at several sizes of each axis: ";
    return Outcome{
        runs, false, "", {}, cat(printable(name), what, why, "; check it after the export")};
  };
  const double seconds = time.left();
  if (seconds <= 0) return incomplete(0, "the other checks took all the time there is");
  // A run that starts in the last moment of the sweep ends in time, too.
  constexpr double kSweepShare = 0.75;
  SweepOptions options;
  options.budget = TimeBudget(kSweepShare * seconds);
  options.is_quick = true;
  options.allow_multiple = promise == Promise::kAsTold;  // a network that halves an axis needs them
  options.sizes = {1, 4};  // beside 3, where it runs there: 1 may run by being repeated
  const Subject subject(readable, {}, (1 - kSweepShare) * seconds, {}, Subject::Look::kLightly,
                        name);
  try {
    const SweepReport report = sweep(readable, subject, {}, options);
    time.spend(options.budget.taken());
    if (!report.untried.empty())
      return incomplete(report.runs, cat("there were only ", seconds, " s for it"));
    return {report.runs, true, problem_in(report, promise), report.axes, ""};
  } catch (const Error& error) {
    if (error.kind() != Error::kUnsupported) throw;
    time.spend(options.budget.taken());
    return incomplete(0, error.what());
  }
}

ExportCheck::ExportCheck(bool is_wanted, Promise promise)
    : is_wanted_(is_wanted), promise_(promise) {
  if (is_wanted_) last_ = std::async(std::launch::async, start_runtime).share();
}

void ExportCheck::start(const std::vector<WrittenFile>& files, const std::string& name) {
  if (!is_wanted_) return;
  if (files.size() > 1) {
    // A session finds weights by the name that the file beside it does not have yet.
    notes_.push_back(cat(printable(name), " was not run: its weights are in a separate file; ",
                         "check it after the export"));
    return;
  }
  std::packaged_task<Outcome()> check(
      [file = files[0].readable, name, promise = promise_, time = time_] {
        return check_graph(file, name, promise, *time);
      });
  checks_.emplace_back(name, check.get_future());
  // One at a time, for each holds the weights.
  last_ = std::async(std::launch::async, [before = last_, check = std::move(check)]() mutable {
            before.get();  // fails where there is no runtime, and so does all that follows
            check();
          }).share();
}

void ExportCheck::leave_out(std::string note) {
  if (is_wanted_) notes_.push_back(std::move(note));
}

void ExportCheck::start_over() {
  checks_.clear();
  notes_.clear();
  fixed_.clear();
}

void ExportCheck::take(const Outcome& outcome, const std::string& name, ExportReport& report) {
  if (!outcome.note.empty()) notes_.push_back(outcome.note);
  for (const CheckAxis& axis : outcome.axes) {
    const bool is_dynamic = axis.verdict == CheckAxis::kDynamic;
    const bool is_told = promise_ == Promise::kAsTold;
    if (!is_told && is_dynamic && axis.low) notes_.push_back(least_size_note(axis, name));
    const auto exported = std::ranges::find_if(
        report.axes, [&](const ExportedAxis& one) { return is_of(axis, name, one); });
    if (exported != report.axes.end()) describe(axis, *exported);
    if (!is_told) continue;
    if (axis.verdict == CheckAxis::kFixed) fixed_.push_back(axis);
    if (is_limited(axis))
      notes_.push_back(cat(printable(name), ", run at a few sizes: ", limit_text(axis)));
  }
}

void ExportCheck::finish(ExportReport& report) {
  if (!is_wanted_) return;
  if (!has_runtime()) {
    report.notes.emplace_back("the graphs were not run: ONNX Runtime is not installed");
    return;
  }
  std::size_t runs = 0;
  bool is_all_free = true;
  for (auto& [name, check] : checks_) {
    const Outcome outcome = in_context(cat("checking ", in_quotes(name), "; no file was written"),
                                       [&check = check] { return check.get(); });
    runs += outcome.runs;
    is_all_free &= outcome.is_complete;
    take(outcome, name, report);
    is_all_free &= fixed_.empty() && std::ranges::none_of(outcome.axes, is_limited);
    if (outcome.problem.empty()) continue;
    is_all_free = false;
    if (promise_ == Promise::kAllDynamic)
      fail(Error::kInternal, "the exported graph is wrong: ", outcome.problem,
           "\n  while checking ", in_quotes(name), "; no file was written");
    report.warnings.push_back(cat(name, ", run at a few sizes: ", outcome.problem));
  }
  if (runs > 0)
    report.checks.push_back(cat("ONNX Runtime ", runtime_version(), " (", runs, " runs",
                                is_all_free ? text_of_axes(report, promise_) : "", ")"));
  for (std::string& note : notes_) report.notes.push_back(std::move(note));
}

}  // namespace voxport
