// TimeBudget: how long a check may take, from when it is made.
#pragma once

#include <chrono>

namespace voxport {

class TimeBudget {
 public:
  explicit TimeBudget(double seconds) : seconds_(seconds) {}

  double seconds() const { return seconds_; }
  double taken() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  // Whether there is time for something new to try.
  bool has_left() const { return taken() < seconds_; }
  // Whether there is time to look closer at what was found, which takes so many seconds: for that a
  // third of the time is granted on top.
  bool has_left_to_explain(double seconds) const { return taken() + seconds < 1.3 * seconds_; }

 private:
  double seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace voxport
