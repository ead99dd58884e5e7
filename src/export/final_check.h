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
  // What a graph must be: with all axes dynamic, as the networks that voxport itself knows; or
  // whatever a program was, which is told.
  enum class Promise { kAllDynamic, kAsTold };

  // Does nothing where it is not wanted.
  ExportCheck(bool is_wanted, Promise promise);

  // The files of one graph.
  void start(const std::vector<WrittenFile>& files);

  // Waits for all of them, and reports what was done, or why it was not. When a graph cannot be
  // run, has an axis that is not dynamic, or gives an output of another size than it declares,
  // fails with kInternal or, under kAsTold, warns.
  void finish(ExportReport& report);

 private:
  struct Outcome {
    std::size_t runs = 0;
    std::string problem;  // empty where there is none
  };
  static Outcome check_graph(const std::filesystem::path& readable, const std::string& name);

  bool is_wanted_;
  Promise promise_;
  std::vector<std::string> reasons_;  // why there was no check
  std::shared_future<void> last_;     // done when all that was started so far is; the runtime first
  std::vector<std::pair<std::string, std::future<Outcome>>> checks_;  // by the file's name
};

}  // namespace voxport
