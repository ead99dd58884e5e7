// A server on a thread of its own, with the letters' voice, at ports that were free.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include <voxport/serve.h>

#include "tests/serve/client.h"
#include "tests/serve/letters_voice.h"

namespace voxport {

class RunningServer {
 public:
  explicit RunningServer(ServeOptions options = {})
      : server_({{"letters", letters_voice()}, {"other", letters_voice()}}, at_free_ports(options)),
        thread_([this] { server_.run(); }) {}
  ~RunningServer() { stop(); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  std::uint16_t http() const { return server_.http_port(); }
  std::uint16_t wyoming() const { return server_.wyoming_port(); }
  void begin_to_stop() { server_.stop(); }
  void stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  // A value of /metrics; -1 where it is not there.
  double metric(const std::string& name) const {
    const std::string text = "\n" + ask(http(), "GET", "/metrics").body;
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
  }
  // Whether it comes to be so before long.
  static bool becomes(const std::function<bool()>& condition) {
    constexpr int kOften = 2000;
    for (int i = 0; i < kOften; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  static ServeOptions at_free_ports(ServeOptions options) {
    options.http = "127.0.0.1:0";
    options.wyoming = "127.0.0.1:0";
    return options;
  }

  Server server_;
  std::thread thread_;
};

}  // namespace voxport
