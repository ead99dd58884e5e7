// Deadline: ends a run of ONNX Runtime that takes longer than it may. For this room alone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/ort.h"

namespace voxport {

// From when it is made to when it is gone; the run between is given options(). ONNX Runtime looks
// at them before each node, inside of loops as well, and so ends no later than with the node that
// it is at.
class Deadline {
 public:
  explicit Deadline(double seconds);  // 0: there is none
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  const OrtRunOptions* options() const { return options_.get(); }
  bool has_passed() const { return has_passed_; }

 private:
  void wait(double seconds);

  std::unique_ptr<OrtRunOptions, Releaser<&OrtApi::ReleaseRunOptions>> options_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::atomic<bool> has_passed_ = false;
  std::thread watch_;
};

}  // namespace voxport
