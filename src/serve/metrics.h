// Metrics: what a server has done, in the text format of Prometheus. From any thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace voxport {

class Histogram {
 public:
  void add(double value);
  void append_to(std::string& out, std::string_view name) const;

 private:
  static constexpr std::array kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                         0.5,   1.0,  2.5,   5.0,  10.0};
  std::array<std::uint64_t, kBounds.size() + 1> counts_{};
  double sum_ = 0;
};

class Metrics {
 public:
  // A request was answered, or a speech ended: over "http", "wyoming" or "websocket", with
  // the status of HTTP.
  void add_request(std::string_view protocol, int status);
  void add_first_audio(double seconds);
  void add_audio(double seconds);
  void add_real_time_factor(double factor);
  void set_speeches(std::size_t open, std::size_t queued);
  void add_connections(std::int64_t difference);

  std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t, std::less<>> requests_;
  Histogram first_audio_, real_time_factor_;
  double audio_ = 0;
  std::size_t open_ = 0, queued_ = 0;
  std::int64_t connections_ = 0;
};

}  // namespace voxport
