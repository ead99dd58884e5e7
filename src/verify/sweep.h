// The sweep: a model is run at many sizes, and what comes of it tells which axes are free.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/dim.h"
#include "verify/budget.h"
#include "verify/culprit.h"
#include "verify/model.h"

namespace voxport {

struct AxisVerdict {
  enum Kind {
    kFree,         // every size that was tried
    kLimited,      // a range, or multiples
    kNailed,       // one size alone
    kLinked,       // free, but only together with another axis
    kFixed,        // declared as a number, and it cannot be another
    kCouldBeFree,  // declared as a number, but nothing inside holds it
  };
  Kind kind = kFree;
  std::string symbol;
  std::vector<InputAxis> places;
  std::vector<std::int64_t> good, bad;    // sizes, in order
  std::optional<std::int64_t> low, high;  // kLimited
  std::int64_t multiple = 1;              // kLimited
  std::int64_t size = 0;                  // kNailed, kFixed, kCouldBeFree
  std::string linked_to;                  // kLinked
  std::string error;                      // of the first run that failed
  std::optional<Culprit> culprit;         // kLinked: where it meets the other axis
};

struct OutputVerdict {
  std::string output;
  std::size_t axis = 0;
  std::string declared;    // as the file has it; empty where it says nothing
  bool is_number = false;  // and whether that is a number
  bool is_true = true;
  std::optional<Dim> actual;  // what the runs tell; nothing when no simple expression gives them
  std::string remark;         // why it is not true, or what one should know
  std::optional<Culprit> culprit;
};

struct SweepOptions {
  bool is_quick = false;
  std::vector<std::int64_t> sizes;     // to try in place of our own
  TimeBudget budget = TimeBudget(60);  // after which no new size is tried; loading is part of it
  std::function<void(double)> on_progress;
};

struct SweepReport {
  std::vector<AxisVerdict> axes;
  std::vector<OutputVerdict> outputs;
  std::vector<std::pair<std::string, std::string>> inputs;  // name, and what it was filled with
  Sizes base;                                               // sizes at which the model runs
  std::size_t runs = 0;
  bool is_cut_short = false;  // there was no time for all sizes
  // Axes that were to be tried, and for lack of time or memory were tried at one size at most.
  std::vector<std::string> untried;
  double slowest_run = 0;          // in seconds
  std::string error;               // why it runs at no size; empty when it does
  std::optional<Culprit> culprit;  // and the node that fails
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
