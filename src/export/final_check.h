// The check that an export makes of its own graphs before their files take their names.
#pragma once

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <voxport/check.h>
#include <voxport/export.h>

#include "onnx/write.h"
#include "verify/budget.h"

namespace voxport {

// The time that the checks of one export may take, all of them together: a fifth of what the export
// took so far, but 2 s in any case. ONNX Runtime cannot be kept from taking longer to load a model.
class CheckTime {
 public:
  double left() const { return std::max(kLeast, kShare * since_start_.taken()) - spent_; }
  void spend(double seconds) { spent_ += seconds; }

 private:
  static constexpr double kLeast = 2;
  static constexpr double kShare = 0.2;
  TimeBudget since_start_{0};
  double spent_ = 0;
};

// Each graph is loaded and run at a few sizes, one after the other on a thread of their own, while
// others are still being written. The files need no name of their own for that. ONNX Runtime is
// started at once, since that takes its time.
class ExportCheck {
 public:
  // What a graph must be: with all axes dynamic, as the networks that voxport itself knows; or
  // whatever a program was, which is told.
  enum class Promise { kAllDynamic, kAsTold };

  // Does nothing where it is not wanted.
  ExportCheck(bool is_wanted, Promise promise);

  // The files of one graph, which has this name in messages.
  void start(const std::vector<WrittenFile>& files, const std::string& name);
  // A graph that is not run, with the note that says why.
  void leave_out(std::string note);

  // Waits for all of them, and reports what was done, or why it was not. When a graph cannot be
  // run, has an axis that is not dynamic, or gives an output of another size than it declares,
  // fails with kInternal or, under kAsTold, warns. The report's axes get what the runs
  // showed; under kAllDynamic, the least size of an axis that has one is a note, too.
  void finish(ExportReport& report);

  // Forgets all graphs and what was found of them, for others that take their place. The time that
  // they took stays spent.
  void start_over();

  // Axes that run at one size only, of which kAsTold does not warn.
  const std::vector<CheckAxis>& fixed() const { return fixed_; }

 private:
  struct Outcome {
    std::size_t runs = 0;
    bool is_complete = true;  // whether there was time to run every axis at several sizes
    std::string problem;      // empty where there is none
    std::vector<CheckAxis> axes;
    std::string note;  // why it was not run
  };
  static Outcome check_graph(const std::filesystem::path& readable, const std::string& name,
                             Promise promise, CheckTime& time);
  void take(const Outcome& outcome, const std::string& name, ExportReport& report);

  bool is_wanted_;
  Promise promise_;
  std::shared_ptr<CheckTime> time_ = std::make_shared<CheckTime>();  // of one check at a time
  std::vector<std::string> notes_;  // for the report: why there was no check, and least sizes
  std::vector<CheckAxis> fixed_;
  std::shared_future<void> last_;  // done when all that was started so far is; the runtime first
  std::vector<std::pair<std::string, std::future<Outcome>>> checks_;  // by the file's name
};

}  // namespace voxport
