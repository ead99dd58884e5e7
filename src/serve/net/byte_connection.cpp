#include <array>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "serve/net/parts.h"

namespace voxport {
namespace {

// Answers that nobody has read. With more, nothing is read either: else whoever only asks could
// have the server keep any number of them.
constexpr std::size_t kMostAnswers = std::size_t{1} << 20;

// A connection of plain bytes, both ways at once, with one session from its start to its end.
class ByteConnection : public std::enable_shared_from_this<ByteConnection>,
                       public Connection,
                       public Outlet {
 public:
  ByteConnection(tcp::socket socket, const Ground& ground)
      : ground_(ground),
        stream_(std::move(socket)),
        idle_(stream_.get_executor()),
        late_(stream_.get_executor()) {
    ground_.connections.add(this, ground_.metrics);
  }
  ~ByteConnection() override { ground_.connections.remove(this, ground_.metrics); }
  ByteConnection(const ByteConnection&) = delete;
  ByteConnection& operator=(const ByteConnection&) = delete;

  void begin(const SessionFactory& factory) {
    if (ground_.connections.size() > ground_.options.max_connections) return close();
    session_ = factory(*this);
    stream_.socket().async_wait(tcp::socket::wait_error, [self = shared_from_this()](error_code e) {
      if (e != net::error::operation_aborted) self->close();
    });
    watch_idleness();
    watch_for_lateness(std::chrono::steady_clock::now());
    read();
  }

  void stop_when_idle() override {
    if (!session_ || session_->is_idle()) end();
  }
  void stop_now() override { close(); }

  void send(std::string bytes, std::function<void()> written) override {
    if (is_closed_) return;
    out_.add(std::move(bytes), std::move(written));
    write();
  }
  void finish(bool /*may_be_used_again*/) override { end(); }

 private:
  void read() {
    is_full_ = out_.bytes_of_answers() > kMostAnswers;
    if (is_closed_ || is_full_) return;
    stream_.expires_never();  // only what is written has its time; for the rest see idle_
    stream_.async_read_some(net::buffer(in_),
                            [self = shared_from_this()](error_code error, std::size_t bytes) {
                              self->on_read(error, bytes);
                            });
  }

  // Who says that it will send no more may still wait for audio.
  void on_read(error_code error, std::size_t bytes) {
    if (is_closed_) return;
    if (error == net::error::eof) {
      is_read_ = true;
      if (session_) session_->receive_no_more();
      return after();
    }
    if (error) return close();
    was_active_ = true;
    if (session_) session_->receive({in_.data(), bytes});
    read();
  }

  void write() {
    if (is_closed_ || out_.is_writing() || out_.is_empty()) return;
    stream_.expires_after(duration_of(ground_.options.write_timeout));
    net::async_write(
        stream_, out_.begin(),
        [self = shared_from_this()](error_code error, std::size_t) { self->on_written(error); });
  }

  void on_written(error_code error) {
    if (error) return close();
    was_active_ = true;
    out_.written();
    write();
    if (is_full_) read();
    after();
  }

  // Nothing more is said in this connection, but what is in the queue.
  void end() {
    is_ended_ = true;
    net::post(stream_.get_executor(),
              [self = shared_from_this(),
               session = std::shared_ptr<ClientSession>(std::move(session_))] { self->after(); });
  }

  void after() {
    if (is_closed_ || !out_.is_empty()) return;
    const bool is_idle = !session_ || session_->is_idle();
    if (is_ended_ || (is_idle && (is_read_ || ground_.connections.is_stopping()))) close();
  }

  void watch_idleness() {
    idle_.expires_after(duration_of(ground_.options.idle_timeout));
    idle_.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->is_closed_) return;
      const bool is_idle = !self->session_ || self->session_->is_idle();
      if (is_idle && !std::exchange(self->was_active_, false)) return self->close();
      self->watch_idleness();
    });
  }

  // A message may take so long from its first byte to its last, however its bytes are spread.
  void watch_for_lateness(std::chrono::steady_clock::time_point from) {
    late_.expires_at(from + duration_of(ground_.options.request_timeout));
    late_.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->is_closed_ || !self->session_) return;
      const auto now = std::chrono::steady_clock::now();
      const auto since = self->session_->receives_since().value_or(now);
      if (now - since >= duration_of(self->ground_.options.request_timeout))
        return self->session_->refuse_late_message();
      self->watch_for_lateness(since);
    });
  }

  void close() {
    if (std::exchange(is_closed_, true)) return;
    out_.clear();
    // It may be in the middle of a call.
    net::post(stream_.get_executor(),
              [session = std::shared_ptr<ClientSession>(std::move(session_))] {});
    idle_.cancel();
    late_.cancel();
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.close();
  }

  Ground ground_;
  tcp_stream stream_;
  net::steady_timer idle_, late_;
  std::array<char, 16384> in_{};
  WriteQueue out_;
  std::unique_ptr<ClientSession> session_;
  bool was_active_ = false;
  bool is_full_ = false;   // nothing is read until answers are
  bool is_read_ = false;   // the client sends no more
  bool is_ended_ = false;  // we send no more
  bool is_closed_ = false;
};

}  // namespace

void start_bytes(tcp::socket socket, const SessionFactory& factory, const Ground& ground) {
  std::make_shared<ByteConnection>(std::move(socket), ground)->begin(factory);
}

}  // namespace voxport
