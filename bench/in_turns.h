// Two sides, measured in turns.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include <time.h>

namespace voxport {

inline double milliseconds(const std::function<void()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

// What this process computed meanwhile: with one thread the time that it takes on an idle machine,
// nearly the same on a busy one.
inline double cpu_milliseconds(const std::function<void()>& body) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  body();
  return now() - begin;
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Medians, in milliseconds. The ratio is the median of those of neighbours in time, which is
// steadier than that of the medians.
struct Times {
  double baseline = 0;
  double ours = 0;
  double ratio = 0;
  int rounds = 0;
};

// Each side is called with the list that it adds its times to, as many as the other.
using Side = std::function<void(std::vector<double>&)>;

// Runs both sides in turns, for about so many seconds.
inline Times in_turns(double seconds, const Side& baseline, const Side& ours) {
  constexpr int kMinRounds = 5;
  std::vector<double> baseline_times;
  std::vector<double> our_times;
  Times times;
  double spent = 0;
  while (times.rounds < kMinRounds || spent < 1e3 * seconds) {
    const bool is_reversed = times.rounds++ % 2 == 1;
    spent += milliseconds([&] {
      if (is_reversed) ours(our_times);
      baseline(baseline_times);
      if (!is_reversed) ours(our_times);
    });
  }
  std::vector<double> ratios(our_times.size());
  std::ranges::transform(baseline_times, our_times, ratios.begin(), std::divides<>());
  times.baseline = median(std::move(baseline_times));
  times.ours = median(std::move(our_times));
  times.ratio = median(std::move(ratios));
  return times;
}

}  // namespace voxport
