#include "serve/metrics.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace voxport {
namespace {

void append_head(std::string& out, std::string_view name, const char* type, const char* help) {
  out += cat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

template <class Value>
void append_value(std::string& out, std::string_view name, const char* type, const char* help,
                  Value value) {
  append_head(out, name, type, help);
  out += cat(name, " ", value, "\n");
}

}  // namespace

void Histogram::add(double value) {
  const auto bound = std::ranges::lower_bound(kBounds, value);
  ++counts_[static_cast<std::size_t>(bound - kBounds.begin())];
  sum_ += value;
}

void Histogram::append_to(std::string& out, std::string_view name) const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    count += counts_[i];
    const std::string bound = i < kBounds.size() ? cat(kBounds[i]) : "+Inf";
    out += cat(name, "_bucket{le=\"", bound, "\"} ", count, "\n");
  }
  out += cat(name, "_sum ", sum_, "\n", name, "_count ", count, "\n");
}

void Metrics::add_request(std::string_view protocol, int status) {
  const std::lock_guard lock(mutex_);
  ++requests_[{std::string(protocol), status}];
}

void Metrics::add_first_audio(double seconds) {
  const std::lock_guard lock(mutex_);
  first_audio_.add(seconds);
}

void Metrics::add_audio(double seconds) {
  const std::lock_guard lock(mutex_);
  audio_ += seconds;
}

void Metrics::add_real_time_factor(double factor) {
  const std::lock_guard lock(mutex_);
  real_time_factor_.add(factor);
}

void Metrics::set_speeches(std::size_t open, std::size_t queued) {
  const std::lock_guard lock(mutex_);
  open_ = open;
  queued_ = queued;
}

void Metrics::add_connections(std::int64_t difference) {
  const std::lock_guard lock(mutex_);
  connections_ += difference;
}

std::string Metrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  append_head(out, "voxport_requests_total", "counter", "Requests that were answered.");
  for (const auto& [key, count] : requests_)
    out += cat("voxport_requests_total{protocol=\"", key.first, "\",status=\"", key.second, "\"} ",
               count, "\n");
  append_head(out, "voxport_first_audio_seconds", "histogram",
              "From a request to its first audio.");
  first_audio_.append_to(out, "voxport_first_audio_seconds");
  append_head(out, "voxport_real_time_factor", "histogram",
              "Time spent on a text, divided by the duration of its audio.");
  real_time_factor_.append_to(out, "voxport_real_time_factor");
  append_value(out, "voxport_audio_seconds_total", "counter", "Audio that was made.", audio_);
  append_value(out, "voxport_streams", "gauge", "Texts that are being spoken.", open_);
  append_value(out, "voxport_queue_depth", "gauge", "Texts that wait to be spoken.", queued_);
  append_value(out, "voxport_connections", "gauge", "Open connections.", connections_);
  return out;
}

}  // namespace voxport
