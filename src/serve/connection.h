// What lies between a connection, which only net/ knows, and a session, which knows a protocol. All
// of it runs on the loop's one thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace voxport {

// A connection's way out.
class Outlet {
 public:
  virtual ~Outlet() = default;
  // Bytes, or a message where the protocol has messages. `written` is called once the system has
  // taken them.
  virtual void send(std::string bytes, std::function<void()> written = {}) = 0;
  // A message of text, where the protocol has those.
  virtual void send_text(std::string text) { send(std::move(text)); }
  // The session is at its end, and goes soon; the connection closes after what was sent, or may be
  // used for the next request. Must be the session's last call.
  virtual void finish(bool may_be_used_again) = 0;
};

// What answers at the other end. It is destroyed when the connection is gone.
class ClientSession {
 public:
  virtual ~ClientSession() = default;
  // Bytes that have arrived, or a message.
  virtual void receive(std::string_view bytes) = 0;
  virtual void receive_binary(std::string_view bytes) { receive(bytes); }
  // The client sends no more, but may still read. May be the connection's end as well.
  virtual void receive_no_more() {}
  // Whether nothing is under way: then a connection may be closed that is silent for long, or when
  // the server stops.
  virtual bool is_idle() const = 0;
  // When the bytes began to arrive of a message that is not complete; nothing between messages.
  virtual std::optional<std::chrono::steady_clock::time_point> receives_since() const { return {}; }
  // That took too long: the session tells its client, and ends.
  virtual void refuse_late_message() {}
};

using SessionFactory = std::function<std::unique_ptr<ClientSession>(Outlet&)>;

// Runs something on the loop's thread, soon; may be called from any thread.
using Post = std::function<void(std::function<void()>)>;

}  // namespace voxport
