// What the sources of net/ share. Includes Boost, so nobody else includes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <voxport/serve.h>

#include "serve/connection.h"
#include "serve/http_api.h"
#include "serve/metrics.h"

namespace voxport {

namespace net = boost::asio;
using boost::beast::error_code;
using boost::beast::tcp_stream;
using net::ip::tcp;

inline std::chrono::milliseconds duration_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// A connection, as the loop sees it when it stops.
class Connection {
 public:
  virtual ~Connection() = default;
  // Ends now if nothing is under way, else when that is done.
  virtual void stop_when_idle() = 0;
  virtual void stop_now() = 0;
};

// Those that there are.
class Connections {
 public:
  explicit Connections(net::io_context& context) : context_(context) {}

  void add(Connection* connection, Metrics& metrics);
  void remove(Connection* connection, Metrics& metrics);
  std::size_t size() const { return open_.size(); }
  void stop_when_idle();
  void stop_now();
  bool is_stopping() const { return is_stopping_; }
  net::io_context& context() { return context_; }
  std::function<void()> on_empty;  // once it is stopping

 private:
  net::io_context& context_;
  std::set<Connection*> open_;
  bool is_stopping_ = false;
};

// What a new connection is given.
struct Ground {
  Connections& connections;
  const ServeOptions& options;
  Metrics& metrics;
};

void start_http(tcp::socket socket, HttpApi& api, const Ground& ground);
void start_bytes(tcp::socket socket, const SessionFactory& factory, const Ground& ground);

// Bytes on their way out: one write at a time, of all that has come together meanwhile.
class WriteQueue {
 public:
  void add(std::string bytes, std::function<void()> written);
  bool is_empty() const { return waiting_.empty() && writing_.empty(); }
  bool is_writing() const { return !writing_.empty(); }
  // Those that nobody waits for to be written: audio is bounded by who makes it.
  std::size_t bytes_of_answers() const { return bytes_of_answers_; }
  // What is to be written now, at most some 64 kB; stays as it is until written().
  const std::vector<net::const_buffer>& begin();
  void written();
  void clear();

 private:
  struct Entry {
    std::string bytes;
    std::function<void()> written;
  };
  std::vector<Entry> waiting_, writing_;
  std::size_t bytes_of_answers_ = 0;
  std::vector<net::const_buffer> buffers_;
};

}  // namespace voxport
