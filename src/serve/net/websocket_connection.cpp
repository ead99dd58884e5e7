#include <deque>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "serve/net/parts.h"
#include "serve/net/upgrade.h"

namespace voxport {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

constexpr std::size_t kMostWaiting = std::size_t{1} << 20;

class WebSocketConnection : public std::enable_shared_from_this<WebSocketConnection>,
                            public Connection,
                            public Outlet {
 public:
  WebSocketConnection(tcp_stream stream, const Ground& ground)
      : ground_(ground), socket_(std::move(stream)), late_(socket_.get_executor()) {
    ground_.connections.add(this, ground_.metrics);
  }
  ~WebSocketConnection() override { ground_.connections.remove(this, ground_.metrics); }
  WebSocketConnection(const WebSocketConnection&) = delete;
  WebSocketConnection& operator=(const WebSocketConnection&) = delete;

  void begin(const UpgradeRequest& request, const std::string& protocol,
             const SessionFactory& factory) {
    session_ = factory(*this);
    beast::get_lowest_layer(socket_).expires_never();
    socket_.set_option(websocket::stream_base::timeout{duration_of(ground_.options.request_timeout),
                                                       duration_of(ground_.options.idle_timeout),
                                                       true});
    socket_.set_option(
        websocket::stream_base::decorator([protocol](websocket::response_type& response) {
          if (!protocol.empty()) response.set(beast::http::field::sec_websocket_protocol, protocol);
        }));
    socket_.auto_fragment(false);  // a piece of audio is one frame
    socket_.read_message_max(ground_.options.max_body);
    socket_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (error) return self->close();
      self->is_open_ = true;
      self->write();
      self->read();
    });
  }

  void stop_when_idle() override {
    if (!session_ || session_->is_idle()) end();
  }
  void stop_now() override { close(); }

  void send(std::string bytes, std::function<void()> written) override {
    add({std::move(bytes), std::move(written), false});
  }
  void send_text(std::string text) override { add({std::move(text), {}, true}); }
  void finish(bool /*may_be_used_again*/) override { end(); }

 private:
  struct Message {
    std::string bytes;
    std::function<void()> written;
    bool is_text = false;
  };

  // Audio is bounded by what the client has taken, answers to a flood of messages only here.
  void add(Message message) {
    if (is_closed_) return;
    if (message.is_text) waiting_ += message.bytes.size();
    if (waiting_ > kMostWaiting) return close();
    out_.push_back(std::move(message));
    write();
  }

  void read() {
    if (is_closed_) return;
    socket_.async_read(
        in_, [self = shared_from_this()](error_code error, std::size_t) { self->on_read(error); });
  }

  void on_read(error_code error) {
    if (is_closed_) return;
    if (error) return close();
    const std::string_view message(static_cast<const char*>(in_.data().data()), in_.size());
    if (session_)
      socket_.got_text() ? session_->receive(message) : session_->receive_binary(message);
    in_.clear();
    read();
  }

  void write() {
    if (is_closed_ || !is_open_ || is_writing_ || out_.empty()) return;
    is_writing_ = true;
    watch_for_lateness();
    socket_.text(out_.front().is_text);
    socket_.async_write(
        net::buffer(out_.front().bytes),
        [self = shared_from_this()](error_code error, std::size_t) { self->on_written(error); });
  }

  // A client that does not read may still send, which keeps the socket's own limits from being
  // reached.
  void watch_for_lateness() {
    late_.expires_after(duration_of(ground_.options.write_timeout));
    late_.async_wait([self = shared_from_this()](error_code error) {
      const bool is_due = self->late_.expiry() <= net::steady_timer::clock_type::now();
      if (!error && is_due && self->is_writing_) self->close();
    });
  }

  void on_written(error_code error) {
    if (error) return close();
    is_writing_ = false;
    late_.cancel();
    const Message done = std::move(out_.front());
    out_.pop_front();
    if (done.is_text) waiting_ -= done.bytes.size();
    if (done.written) done.written();
    write();
    const bool is_idle = !session_ || session_->is_idle();
    if (is_idle && ground_.connections.is_stopping()) end();
    if (is_ended_ && out_.empty()) say_goodbye();
  }

  void end() {
    if (std::exchange(is_ended_, true)) return;
    if (out_.empty() && !is_writing_) say_goodbye();
  }

  void say_goodbye() {
    if (is_closed_ || std::exchange(has_said_goodbye_, true)) return;
    socket_.async_close(websocket::close_code::going_away,
                        [self = shared_from_this()](error_code) { self->close(); });
  }

  void close() {
    if (std::exchange(is_closed_, true)) return;
    // It may be in the middle of a call.
    net::post(socket_.get_executor(),
              [session = std::shared_ptr<ClientSession>(std::move(session_))] {});
    late_.cancel();
    beast::get_lowest_layer(socket_).close();
  }

  Ground ground_;
  websocket::stream<tcp_stream> socket_;
  net::steady_timer late_;  // the limit for a message to be written
  beast::flat_buffer in_;
  std::deque<Message> out_;
  std::size_t waiting_ = 0;  // bytes of text in it
  std::unique_ptr<ClientSession> session_;
  bool is_open_ = false;
  bool is_writing_ = false;
  bool is_ended_ = false;
  bool has_said_goodbye_ = false;
  bool is_closed_ = false;
};

}  // namespace

void start_websocket(tcp_stream stream, const UpgradeRequest& request, const std::string& protocol,
                     const SessionFactory& factory, const Ground& ground) {
  std::make_shared<WebSocketConnection>(std::move(stream), ground)
      ->begin(request, protocol, factory);
}

}  // namespace voxport
