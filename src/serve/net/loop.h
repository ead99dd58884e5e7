// Loop: the thread that all connections live on. Boost.Asio and Boost.Beast are behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <voxport/serve.h>

#include "serve/connection.h"
#include "serve/http_api.h"
#include "serve/metrics.h"

namespace voxport {

class LoopParts;

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Post poster();

  // Both give the port. They fail with kUsage where the address is none, and with kUnreadable where
  // it is not to be had. What is handed in has to outlive run().
  std::uint16_t listen_http(const std::string& address, HttpApi& api, const ServeOptions& options,
                            Metrics& metrics);

  // A session for each connection, of bytes.
  std::uint16_t listen(const std::string& address, SessionFactory factory,
                       const ServeOptions& options, Metrics& metrics);

  // Until stop(), and then until all sessions have ended or the grace time has. `on_stop` is called
  // when it begins to stop.
  void run(double grace, const std::function<void()>& on_stop);
  void stop() noexcept;  // from any thread, and from a signal handler

 private:
  std::unique_ptr<LoopParts> parts_;
};

}  // namespace voxport
