#include <algorithm>
#include <cmath>
#include <span>

#include <voxport/check.h>

#include "base/fail.h"
#include "base/join.h"
#include "base/parse_number.h"
#include "base/stage_clock.h"
#include "verify/consistency.h"
#include "verify/effect.h"
#include "verify/reference.h"
#include "verify/sweep.h"

namespace voxport {
namespace {

namespace fs = std::filesystem;

std::optional<double> number(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// "3", or "0..9".
Filling filling_of(const std::string& name, const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto low = number(std::string_view(text).substr(0, dots));
  const auto high =
      dots == std::string::npos ? low : number(std::string_view(text).substr(dots + 2));
  if (!low || !high || *high < *low)
    fail(Error::kUsage, "input ", in_quotes(name), " is to be filled with ", in_quotes(text),
         ", expected a number or a range such as 0..9");
  return {*low, *high};
}

std::map<std::string, Filling> fillings_of(const CheckOptions& options) {
  std::map<std::string, Filling> fillings;
  for (const auto& [name, text] : options.inputs) fillings[name] = filling_of(name, text);
  return fillings;
}

void check_names(const Subject& subject, const CheckOptions& options) {
  const std::span<const Value> known = subject.declared().graph->inputs();
  for (const auto& [name, text] : options.inputs)
    if (std::ranges::find(known, name, &Value::name) == known.end())
      fail(Error::kUsage, "there is no input ", in_quotes(name), "; there are ",
           join(known, ", ", [](const Value& input) { return printable(input.name()); }));
}

void check_options(const CheckOptions& options) {
  if (!(options.seconds > 0) || !std::isfinite(options.seconds))
    fail(Error::kUsage, "the check may take ", options.seconds, " s, expected more than 0");
  if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance))
    fail(Error::kUsage, "the tolerance is ", options.tolerance, ", expected 0 or more");
  for (const std::int64_t size : options.sizes)
    if (size < 1) fail(Error::kUsage, "the size ", size, " is to be tried, expected 1 or more");
}

// An axis that ran at one size alone is not proven to be dynamic. That is an error, unless there is
// something wrong to report.
void refuse_untried(const SweepReport& swept, const CheckReport& report, double seconds,
                    double load_seconds) {
  if (swept.untried.empty() || !report.is_good()) return;
  const auto rounded = [](double value) { return std::round(value * 100) / 100; };
  fail(Error::kUnsupported, "axis ", in_quotes(swept.untried.front()),
       " could not be tried at two sizes in the ", seconds, " s that the check may take: loading ",
       "the model took ", rounded(load_seconds), " s, and a run up to ", rounded(swept.slowest_run),
       " s");
}

void run_sweep(const fs::path& model, const Subject& subject, const CheckOptions& options,
               const TimeBudget& budget, CheckReport& report) {
  SweepOptions sweep_options;
  sweep_options.is_quick = options.quick;
  sweep_options.sizes = options.sizes;
  sweep_options.allow_multiple = options.allow_multiple;
  sweep_options.budget = budget;
  sweep_options.on_progress = options.on_progress;
  sweep_options.on_run = options.on_run;
  const double load_seconds = budget.taken();
  SweepReport swept = sweep(model, subject, fillings_of(options), sweep_options);
  report.inputs = std::move(swept.inputs);
  report.axes = std::move(swept.axes);
  report.outputs = std::move(swept.outputs);
  report.runs = swept.runs;
  report.is_cut_short = swept.is_cut_short;
  report.error = swept.error;
  report.culprit = std::move(swept.culprit);
  if (!swept.error.empty()) return;
  refuse_untried(swept, report, options.seconds, load_seconds);
  report.consistency = check_consistency(subject, swept.base, budget, swept.slowest_run);
  if (!options.quick) report.notes = inputs_without_effect(subject, swept.base, budget);
}

}  // namespace

CheckReport check_model(const fs::path& model, const CheckOptions& options) {
  const TimeBudget budget(options.seconds);
  StageClock clock(options.on_stage);
  CheckReport report;
  report.path = model.string();
  report.tolerance = options.tolerance;
  return in_context(cat("checking ", in_quotes(model.native())), [&] {
    check_options(options);
    const Subject subject(model, fillings_of(options), longest_run(options.seconds));
    check_names(subject, options);
    report.nodes = subject.nodes().size();
    clock.done("loaded the model", cat(report.nodes, " nodes"));
    run_sweep(model, subject, options, budget, report);
    clock.done("swept the sizes", cat(report.runs, " runs"));
    for (const fs::path& reference : options.references) {
      for (CheckedCase& one : check_reference(subject, reference, options.tolerance))
        report.cases.push_back(std::move(one));
      clock.done("compared with " + reference.filename().string(), "");
    }
    report.seconds = budget.taken();
    return report;
  });
}

}  // namespace voxport
