// StageClock: tells the caller of the library what was done, and how long it took.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <voxport/stage.h>

namespace voxport {

class StageClock {
 public:
  explicit StageClock(OnStage on_stage) : on_stage_(std::move(on_stage)) {}

  void done(std::string_view name, const std::string& detail) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> taken = now - last_;
    last_ = now;
    if (on_stage_) on_stage_({std::string(name), detail, taken.count()});
  }

 private:
  OnStage on_stage_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace voxport
