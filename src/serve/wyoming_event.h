// Events of the Wyoming protocol: a line of JSON, then JSON with the data, then bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace voxport {

struct WyomingEvent {
  std::string type;
  nlohmann::json data = nlohmann::json::object();
  std::string payload;
  std::size_t bytes = 0;  // that it had when it arrived
};

std::string to_bytes(const WyomingEvent& event);

// Makes events of bytes as they arrive.
class WyomingReader {
 public:
  // An event may have so many bytes.
  explicit WyomingReader(std::size_t most) : most_(most) {}

  void push(std::string_view bytes);
  // The next event that is all there. Fails with a Refusal when the bytes are none, after which
  // nothing can be read any more.
  std::optional<WyomingEvent> next();

  // When the event began to arrive of which there is only a part.
  std::optional<std::chrono::steady_clock::time_point> begun() const;

 private:
  // What an event's line says.
  struct Head {
    std::string type;
    nlohmann::json data = nlohmann::json::object();
    std::size_t bytes = 0, data_bytes = 0, payload_bytes = 0;
  };

  bool read_head();

  std::size_t most_;
  std::string bytes_;
  std::chrono::steady_clock::time_point begun_;
  std::optional<Head> head_;  // of the event that comes next, once it is there
};

}  // namespace voxport
