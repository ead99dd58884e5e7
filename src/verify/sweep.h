// The sweep: a model is run at many sizes, and what comes of it tells which axes are dynamic.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <voxport/check.h>

#include "verify/budget.h"
#include "verify/culprit.h"
#include "verify/model.h"

namespace voxport {

struct SweepOptions {
  bool is_quick = false;
  std::vector<std::int64_t> sizes;     // to try in place of our own
  bool allow_multiple = false;         // whether an axis is good that runs in multiples alone
  TimeBudget budget = TimeBudget(60);  // after which no new size is tried; loading is part of it
  std::function<void(double)> on_progress;
  std::function<void(const std::string& sizes)> on_run;  // before it
};

struct SweepReport {
  std::vector<CheckAxis> axes;
  std::vector<CheckOutput> outputs;
  std::vector<std::pair<std::string, std::string>> inputs;  // name, and what it was filled with
  Sizes base;                                               // sizes at which the model runs
  std::size_t runs = 0;
  bool is_cut_short = false;  // there was no time for all sizes
  // Axes that were to be tried, and for lack of time or memory were tried at one size at most.
  std::vector<std::string> untried;
  double slowest_run = 0;               // in seconds
  std::string error;                    // why it runs at no size; empty when it does
  std::optional<CheckCulprit> culprit;  // and the node that fails
};

// How long one run of a model may take, where the sweep has so many seconds.
double longest_run(double seconds);

// `subject` is the model in `path`. Fails with kUnsupported where the model takes longer than one
// run may, or more memory than there is, even at the least sizes; where the time is over before
// sizes are found at which it runs; and where it does not run with values that we made up for an
// input that decides on sizes.
SweepReport sweep(const std::filesystem::path& path, const Subject& subject,
                  const std::map<std::string, Filling>& fillings, const SweepOptions& options);

}  // namespace voxport
