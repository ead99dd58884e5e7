#include <optional>
#include <variant>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include "serve/net/parts.h"
#include "serve/net/upgrade.h"
#include "serve/refusal.h"

namespace voxport {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::uint32_t kMostHeader = 16384;
// What may wait to be understood: the headers, a chunk's line with its extensions, or the headers
// after the last chunk. A body is taken out as it comes.
constexpr std::size_t kMostUnread = 65536;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// What the client is told of a request that cannot be read; nothing where nobody is to be told.
std::optional<Refusal> why_unread(const error_code& error, const ServeOptions& options) {
  if (error == http::error::header_limit)
    return Refusal(431, "headers_too_large",
                   cat("the headers have more than ", kMostHeader, " bytes"));
  if (error == http::error::buffer_overflow)
    return Refusal(431, "headers_too_large",
                   cat("between or after the chunks of the body are more than ", kMostUnread,
                       " bytes without an end"));
  if (error == http::error::body_limit)
    return Refusal(413, "body_too_large",
                   cat("the body has more than ", options.max_body, " bytes"));
  if (error == http::error::end_of_stream || error == net::error::eof ||
      error.category() != make_error_code(http::error::bad_method).category())
    return std::nullopt;
  return Refusal(400, "bad_request", cat("this is not HTTP: ", error.message()));
}

class HttpConnection : public std::enable_shared_from_this<HttpConnection>,
                       public Connection,
                       public Outlet {
 public:
  HttpConnection(tcp::socket socket, HttpApi& api, const Ground& ground)
      : ground_(ground), api_(api), stream_(std::move(socket)), late_(stream_.get_executor()) {
    ground_.connections.add(this, ground_.metrics);
  }
  ~HttpConnection() override { ground_.connections.remove(this, ground_.metrics); }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void begin() {
    if (ground_.connections.size() > ground_.options.max_connections)
      return refuse_and_close(Refusal(503, "overloaded", "there are too many connections"));
    wait_for_request();
  }

  // Of Connection.
  void stop_when_idle() override {
    if (is_waiting_) close();
  }
  void stop_now() override { close(); }

  // Of Outlet.
  void send(std::string bytes, std::function<void()> written) override {
    if (is_closed_) return;
    out_.add(std::move(bytes), std::move(written));
    write();
  }
  void finish(bool may_be_used_again) override {
    is_answered_ = true;
    may_be_used_again_ = may_be_used_again;
    // It is in the middle of a call.
    net::post(stream_.get_executor(),
              [session = std::shared_ptr<ClientSession>(std::move(session_))] {});
    go_on();
  }

 private:
  // With this as the argument, a handler keeps the connection.
  template <class Method>
  auto handler(Method method) {
    return
        [self = shared_from_this(), method](auto... arguments) { ((*self).*method)(arguments...); };
  }

  void wait_for_request() {
    is_answered_ = false;
    if (buffer_.size() > 0) return read_request();
    is_waiting_ = true;
    stream_.expires_after(duration_of(ground_.options.idle_timeout));
    constexpr std::size_t kFirstBytes = 4096;
    stream_.async_read_some(buffer_.prepare(kFirstBytes), handler(&HttpConnection::on_first_bytes));
  }

  void on_first_bytes(error_code error, std::size_t bytes) {
    is_waiting_ = false;
    if (error) return close();
    buffer_.commit(bytes);
    read_request();
  }

  void read_request() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    parser_->body_limit(ground_.options.max_body);
    is_reading_ = true;
    watch_for_lateness();
    http::async_read_header(stream_, buffer_, *parser_, handler(&HttpConnection::on_header));
  }

  // The limit is for the whole request, however its bytes are spread over time. A late client gets
  // an error. If bytes arrive just when reading is cancelled, reading goes on, and the stream's own
  // limit closes the connection a second later.
  void watch_for_lateness() {
    const std::chrono::milliseconds time = duration_of(ground_.options.request_timeout);
    is_late_ = false;
    stream_.expires_after(time + std::chrono::seconds(1));
    late_.expires_after(time);
    late_.async_wait([self = shared_from_this()](error_code error) {
      const bool is_due = self->late_.expiry() <= net::steady_timer::clock_type::now();
      if (error || !is_due || !self->is_reading_ || self->is_closed_) return;
      self->is_late_ = true;
      self->stream_.cancel();
    });
  }

  void on_header(error_code error, std::size_t /*bytes*/) {
    if (error) return fail_to_read(error);
    // Where such a body ends is not known, so what comes after it could be taken for a request.
    if (parser_->get().count(http::field::transfer_encoding) > 0 && !parser_->chunked())
      return fail_with(Refusal(501, "unsupported_encoding", "a body is sent whole or in chunks"));
    if (beast::iequals(parser_->get()[http::field::expect], "100-continue"))
      out_.add("HTTP/1.1 100 Continue\r\n\r\n", {});
    http::async_read(stream_, buffer_, *parser_, handler(&HttpConnection::on_request));
    write();
  }

  void on_request(error_code error, std::size_t /*bytes*/) {
    if (error) return fail_to_read(error);
    end_reading();
    request_ = HttpRequest();
    http::request<http::string_body> message = parser_->release();
    request_.method = view(message.method_string());
    request_.target = view(message.target());
    request_.is_chunking = message.version() >= 11;
    request_.keeps_alive = message.keep_alive() && !ground_.connections.is_stopping();
    for (const auto& field : message)
      request_.headers.emplace_back(view(field.name_string()), view(field.value()));
    if (beast::websocket::is_upgrade(message)) return upgrade(message);
    request_.body = std::move(message.body());
    answer();
  }

  void end_reading() {
    is_reading_ = false;
    late_.cancel();
  }

  // What the client has sent already, before it was told that it may, would be lost.
  void upgrade(const UpgradeRequest& message) {
    HttpApi::Answer answer = api_.upgrade(request_);
    if (const auto* const reply = std::get_if<HttpReply>(&answer)) return send_reply(*reply);
    if (buffer_.size() > 0)
      return refuse_and_close(Refusal(400, "bad_request", "bytes come before the upgrade"));
    const bool is_offered = request_.header("Sec-WebSocket-Protocol").find("voxport") == 0;
    is_closed_ = true;  // its stream is another's
    start_websocket(std::move(stream_), message, is_offered ? "voxport" : "",
                    std::get<SessionFactory>(answer), ground_);
  }

  void answer() {
    HttpApi::Answer answer = api_.answer(request_);
    if (const auto* const reply = std::get_if<HttpReply>(&answer)) return send_reply(*reply);
    try {
      session_ = std::get<SessionFactory>(answer)(*this);
      watch();
    } catch (const Refusal& refusal) {
      send_reply(api_.refuse_request(request_, refusal));
    }
  }

  void send_reply(const HttpReply& reply) {
    is_answered_ = true;
    may_be_used_again_ = request_.keeps_alive;
    send(to_bytes(reply, request_), {});
  }

  void fail_to_read(const error_code& error) {
    end_reading();
    if (is_late_ && error == net::error::operation_aborted)
      return refuse_and_close(
          Refusal(408, "request_timeout",
                  cat("the request did not arrive in ", ground_.options.request_timeout, " s")));
    if (const std::optional<Refusal> refusal = why_unread(error, ground_.options))
      return refuse_and_close(*refusal);
    close();
  }

  void fail_with(const Refusal& refusal) {
    end_reading();
    refuse_and_close(refusal);
  }

  void refuse_and_close(const Refusal& refusal) {
    request_ = HttpRequest();
    request_.keeps_alive = false;
    is_unread_ = true;
    send_reply(api_.refuse_request(refusal));
  }

  // A client that goes away resets the connection, in answer to what is sent; one that only says
  // that it will send no more may still read.
  void watch() {
    if (std::exchange(is_watched_, true)) return;
    stream_.socket().async_wait(tcp::socket::wait_error, handler(&HttpConnection::on_trouble));
  }
  void on_trouble(error_code error) {
    if (error != net::error::operation_aborted) close();
  }

  void write() {
    if (is_closed_ || out_.is_writing() || out_.is_empty()) return;
    // While a request is read, the stream's limit is the request's.
    if (!is_reading_) stream_.expires_after(duration_of(ground_.options.write_timeout));
    net::async_write(stream_, out_.begin(), handler(&HttpConnection::on_written));
  }

  void on_written(error_code error, std::size_t /*bytes*/) {
    if (error) return close();
    out_.written();
    write();
    go_on();
  }

  // When all of an answer is written.
  void go_on() {
    if (!is_answered_ || is_closed_ || !out_.is_empty()) return;
    if (may_be_used_again_ && !ground_.connections.is_stopping()) return wait_for_request();
    is_unread_ ? linger() : close();
  }

  // What the client is still sending is read for a while: else the system would reset the
  // connection, and the answer could be lost on the way.
  void linger() {
    if (std::exchange(is_lingering_, true)) return;
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(std::chrono::seconds(2));
    drain();
  }
  void drain() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kMostUnread), handler(&HttpConnection::on_drained));
  }
  void on_drained(error_code error, std::size_t /*bytes*/) { error ? close() : drain(); }

  void close() {
    if (std::exchange(is_closed_, true)) return;
    out_.clear();
    session_.reset();
    late_.cancel();
    stream_.close();
  }

  Ground ground_;
  HttpApi& api_;
  tcp_stream stream_;
  net::steady_timer late_;  // the limit for a request to arrive
  beast::flat_buffer buffer_{kMostUnread};
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpRequest request_;
  std::unique_ptr<ClientSession> session_;
  WriteQueue out_;
  bool is_waiting_ = false;   // for a request, with nothing under way
  bool is_reading_ = false;   // a request, from its first bytes
  bool is_late_ = false;      // that request
  bool is_answered_ = false;  // all of the answer is in the queue
  bool may_be_used_again_ = false;
  bool is_watched_ = false;
  bool is_unread_ = false;  // the client may still be sending
  bool is_lingering_ = false;
  bool is_closed_ = false;
};

}  // namespace

void start_http(tcp::socket socket, HttpApi& api, const Ground& ground) {
  std::make_shared<HttpConnection>(std::move(socket), api, ground)->begin();
}

}  // namespace voxport
