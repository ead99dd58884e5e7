#include <algorithm>

#include <voxport/serve.h>

#include "base/blob.h"
#include "base/fail.h"
#include "serve/http_api.h"
#include "serve/net/loop.h"
#include "serve/service.h"
#include "serve/wyoming_session.h"

namespace voxport {
namespace {

void check_limit(const char* option, double value) {
  if (!(value > 0))
    fail_about(option, Error::kUsage, "the limit ", option, " is ", value, ", expected more");
}

void check(const ServeOptions& options) {
  check_limit("max_audio", options.max_audio);
  check_limit("ahead", options.ahead);
  check_limit("request_timeout", options.request_timeout);
  check_limit("idle_timeout", options.idle_timeout);
  check_limit("write_timeout", options.write_timeout);
  check_limit("max_streams", static_cast<double>(options.max_streams));
  check_limit("max_connections", static_cast<double>(options.max_connections));
  if (options.http.empty() && options.wyoming.empty())
    fail(Error::kUsage, "there is no address to listen at");
}

bool may_be_in_token(char c) {
  return is_name_part(c) || std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

// One line, as it is sent in a header.
std::string read_token(const std::filesystem::path& path) {
  if (path.empty()) return "";
  std::string token(Blob::map_file(path).text());
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  constexpr std::size_t kMost = 4096;
  if (token.empty() || token.size() > kMost || !std::ranges::all_of(token, may_be_in_token))
    fail(Error::kUsage, in_quotes(path.native()),
         " has no token, expected one line of letters, digits and -._~+/=");
  return token;
}

}  // namespace

// Sessions live in the loop and speeches in the service: the loop goes first, whose sessions end
// their speeches, which still may post to it.
class ServerParts {
 public:
  ServerParts(std::vector<ServedVoice> voices, const ServeOptions& options)
      : loop_(std::make_unique<Loop>()),
        service_(std::move(voices), options, loop_->poster()),
        http_(service_) {
    check(options);
    service_.token = read_token(options.token_file);
    if (!options.http.empty())
      http_port_ = loop_->listen_http(options.http, http_, service_.options, service_.metrics);
    if (options.wyoming.empty()) return;
    const SessionFactory session = [this](Outlet& outlet) {
      return std::make_unique<WyomingSession>(outlet, service_);
    };
    wyoming_port_ = loop_->listen(options.wyoming, session, service_.options, service_.metrics);
  }

  void run() {
    loop_->run(service_.options.grace, [this] { service_.is_stopping = true; });
  }
  void stop() noexcept { loop_->stop(); }

  std::uint16_t http_port() const { return http_port_; }
  std::uint16_t wyoming_port() const { return wyoming_port_; }

 private:
  std::unique_ptr<Loop> loop_;
  Service service_;
  HttpApi http_;
  std::uint16_t http_port_ = 0, wyoming_port_ = 0;
};

Server::Server(std::vector<ServedVoice> voices, const ServeOptions& options)
    : parts_(std::make_unique<ServerParts>(std::move(voices), options)) {}
Server::~Server() = default;

std::uint16_t Server::http_port() const { return parts_->http_port(); }
std::uint16_t Server::wyoming_port() const { return parts_->wyoming_port(); }
void Server::run() { parts_->run(); }
void Server::stop() noexcept { parts_->stop(); }

}  // namespace voxport
