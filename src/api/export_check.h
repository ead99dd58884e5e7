// The check that an export makes of its own graphs before their files take their names.
#pragma once

#include <future>
#include <string>
#include <vector>

#include <voxport/export.h>

#include "onnx/write.h"

namespace voxport {

// Each graph is loaded and run at a few sizes, one after the other on a thread of their own, while
// others are still being written. The files need no name of their own for that. ONNX Runtime is
// started at once, since that takes its time.
class ExportCheck {
 public:
  // Does nothing where it is not wanted.
  explicit ExportCheck(bool is_wanted);

  // The files of one graph.
  void start(const std::vector<WrittenFile>& files);

  // Waits for all of them, and reports what was done, or why it was not. Fails with kInternal when
  // a graph cannot be run, has an axis that is not free, or gives an output of another size than it
  // declares.
  void finish(ExportReport& report);

 private:
  bool is_wanted_;
  std::vector<std::string> reasons_;  // why there was no check
  std::shared_future<void> last_;     // done when all that was started so far is; the runtime first
  std::vector<std::future<std::size_t>> checks_;  // numbers of runs
};

}  // namespace voxport
