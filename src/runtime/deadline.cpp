#include "runtime/deadline.h"

#include <chrono>

namespace voxport {

Deadline::Deadline(double seconds)
    : options_(get<OrtRunOptions*>(ort_api().CreateRunOptions)),
      watch_(seconds > 0 ? std::thread([this, seconds] { wait(seconds); }) : std::thread()) {}

Deadline::~Deadline() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_one();
  if (watch_.joinable()) watch_.join();
}

void Deadline::wait(double seconds) {
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return is_over_; }))
    return;
  has_passed_ = true;
  const std::unique_ptr<OrtStatus, Releaser<&OrtApi::ReleaseStatus>> status(
      ort_api().RunOptionsSetTerminate(options_.get()));
}

}  // namespace voxport
