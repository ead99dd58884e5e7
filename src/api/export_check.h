// The check that an export makes of its own graphs before their files take their names.
#pragma once

#include <future>
#include <semaphore>
#include <string>
#include <vector>

#include <voxport/export.h>

#include "onnx/write.h"

namespace voxport {

// Each graph is loaded and run at a few sizes, on a thread of its own, while others are still being
// written. The files need no name of their own for that.
class ExportCheck {
 public:
  // The files of one graph.
  void start(const std::vector<WrittenFile>& files);

  // Waits for all of them, and reports what was done, or why it was not. Fails with kInternal when
  // a graph cannot be run, has an axis that is not free, or gives an output of another size than it
  // declares.
  void finish(ExportReport& report);

 private:
  std::counting_semaphore<> lanes_{2};  // more would save little time, and each holds the weights
  std::vector<std::string> reasons_;    // why there was no check
  // Numbers of runs. The last member: when it goes, it waits for what uses the others.
  std::vector<std::future<std::size_t>> checks_;
};

}  // namespace voxport
