#include "serve/net/loop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/fail.h"
#include "base/parse_number.h"
#include "serve/net/parts.h"

namespace voxport {
namespace {

tcp::endpoint endpoint_of(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  const auto port = colon == std::string::npos
                        ? std::nullopt
                        : parse_number<std::uint16_t>(std::string_view(address).substr(colon + 1));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  error_code error;
  const net::ip::address ip = net::ip::make_address(host, error);
  if (error || !port)
    fail(Error::kUsage, in_quotes(address),
         " is no address to listen at, expected ADDRESS:PORT such as 127.0.0.1:5000");
  return {ip, *port};
}

tcp::acceptor open_acceptor(net::io_context& context, const std::string& address) {
  const tcp::endpoint endpoint = endpoint_of(address);
  try {
    return {context, endpoint};  // with SO_REUSEADDR
  } catch (const boost::system::system_error& error) {
    fail(Error::kUnreadable, "cannot listen at ", in_quotes(address), ": ", error.code().message());
  }
}

}  // namespace

class LoopParts {
 public:
  LoopParts() : connections_(context_), stop_(context_), grace_(context_) {
    const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0) fail(Error::kUnreadable, "the system gives no event to wait for");
    stop_.assign(fd);
  }

  net::io_context& context() { return context_; }
  Connections& connections() { return connections_; }

  using Start = std::function<void(tcp::socket)>;
  std::uint16_t listen(const std::string& address, Start start) {
    acceptors_.push_back(std::make_unique<Acceptor>(
        Acceptor{open_acceptor(context_, address), net::steady_timer(context_), std::move(start)}));
    const std::uint16_t port = acceptors_.back()->acceptor.local_endpoint().port();
    accept(*acceptors_.back());
    return port;
  }

  void run(double grace, const std::function<void()>& on_stop) {
    stop_.async_wait(net::posix::stream_descriptor::wait_read,
                     [this, grace, on_stop](error_code error) {
                       if (error) return;
                       on_stop();
                       end(grace);
                     });
    connections_.on_empty = [this] { context_.stop(); };
    context_.run();
    // What is left goes while those are there that it refers to.
    connections_.stop_now();
    context_.restart();
    context_.poll();
  }

  void stop() noexcept {
    const std::uint64_t one = 1;
    // It cannot be full, and nobody could be told of anything else.
    [[maybe_unused]] const ssize_t written = ::write(stop_.native_handle(), &one, sizeof one);
  }

 private:
  struct Acceptor {
    tcp::acceptor acceptor;
    net::steady_timer retry;
    Start start;
  };

  void accept(Acceptor& from) {
    from.acceptor.async_accept([this, &from](error_code error, tcp::socket socket) {
      if (error == net::error::operation_aborted) return;
      if (error) return accept_later(from);
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      // What the system keeps for a client that does not read is bounded, too.
      socket.set_option(net::socket_base::send_buffer_size(1 << 17), ignored);
      from.start(std::move(socket));
      accept(from);
    });
  }

  // The process has no more descriptors: some will be free again.
  void accept_later(Acceptor& from) {
    from.retry.expires_after(std::chrono::milliseconds(100));
    from.retry.async_wait([this, &from](error_code error) {
      if (!error) accept(from);
    });
  }

  void end(double grace) {
    for (const auto& listening : acceptors_) {
      error_code ignored;
      listening->acceptor.close(ignored);
      listening->retry.cancel();
    }
    grace_.expires_after(duration_of(grace));
    grace_.async_wait([this](error_code error) {
      if (!error) connections_.stop_now();
    });
    connections_.stop_when_idle();
  }

  net::io_context context_{1};
  Connections connections_;
  net::posix::stream_descriptor stop_;
  net::steady_timer grace_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
};

Loop::Loop() : parts_(std::make_unique<LoopParts>()) {}
Loop::~Loop() = default;

Post Loop::poster() {
  return [parts = parts_.get()](std::function<void()> work) {
    net::post(parts->context(), std::move(work));
  };
}

std::uint16_t Loop::listen_http(const std::string& address, HttpApi& api,
                                const ServeOptions& options, Metrics& metrics) {
  return parts_->listen(address, [this, &api, &options, &metrics](tcp::socket socket) {
    start_http(std::move(socket), api, {parts_->connections(), options, metrics});
  });
}

std::uint16_t Loop::listen(const std::string& address, SessionFactory factory,
                           const ServeOptions& options, Metrics& metrics) {
  return parts_->listen(
      address, [this, factory = std::move(factory), &options, &metrics](tcp::socket socket) {
        start_bytes(std::move(socket), factory, {parts_->connections(), options, metrics});
      });
}

void Loop::run(double grace, const std::function<void()>& on_stop) { parts_->run(grace, on_stop); }
void Loop::stop() noexcept { parts_->stop(); }

}  // namespace voxport
