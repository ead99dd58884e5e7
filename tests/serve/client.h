// A client that sends and reads bytes as a test wants them, right or wrong.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace voxport {

class Client {
 public:
  explicit Client(std::uint16_t port, int receive_buffer = 0)
      : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0)
      setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect");
  }
  ~Client() { close(); }
  Client(Client&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) return;  // the test sees what comes back
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void send_no_more() { shutdown(fd_, SHUT_WR); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  // As a process that dies: the other end sees a reset.
  void reset() {
    const linger at_once{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }

  // What comes next, at most so much; empty at the end, or when nothing comes for long.
  std::string read_some(std::size_t most = 65536) {
    std::string buffer(most, '\0');
    pollfd waiting{fd_, POLLIN, 0};
    constexpr int kLong = 20'000;
    if (poll(&waiting, 1, kLong) <= 0) return "";
    const ssize_t count = recv(fd_, buffer.data(), buffer.size(), 0);
    buffer.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return buffer;
  }
  std::string read_all() {
    std::string all;
    for (std::string some = read_some(); !some.empty(); some = read_some()) all += some;
    return all;
  }
  std::string read_until(std::string_view end) {
    while (rest_.find(end) == std::string::npos) {
      const std::string some = read_some();
      if (some.empty()) return std::exchange(rest_, {});
      rest_ += some;
    }
    const std::size_t at = rest_.find(end) + end.size();
    std::string found = rest_.substr(0, at);
    rest_.erase(0, at);
    return found;
  }
  std::string read_exactly(std::size_t bytes) {
    while (rest_.size() < bytes) {
      const std::string some = read_some();
      if (some.empty()) return std::exchange(rest_, {});
      rest_ += some;
    }
    std::string found = rest_.substr(0, bytes);
    rest_.erase(0, bytes);
    return found;
  }

 private:
  int fd_;
  std::string rest_;
};

struct Response {
  int status = 0;  // 0: there was none
  std::string head, body;
  bool is_whole = false;
};

inline std::string head_value(const Response& response, const std::string& name) {
  const std::size_t at = response.head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const std::size_t start = at + name.size() + 4;
  return response.head.substr(start, response.head.find("\r\n", start) - start);
}

inline Response read_response(Client& client) {
  Response response;
  response.head = client.read_until("\r\n\r\n");
  if (response.head.size() < 12) return response;
  response.status = std::stoi(response.head.substr(9, 3));
  if (head_value(response, "Transfer-Encoding") != "chunked") {
    const std::string length = head_value(response, "Content-Length");
    const std::size_t bytes = length.empty() ? 0 : std::stoul(length);
    response.body = client.read_exactly(bytes);
    response.is_whole = response.body.size() == bytes;
    return response;
  }
  while (true) {
    const std::string size = client.read_until("\r\n");
    if (size.empty()) return response;
    const std::size_t bytes = std::stoul(size, nullptr, 16);
    const std::string chunk = client.read_exactly(bytes + 2);
    if (chunk.size() != bytes + 2) return response;
    response.body += chunk.substr(0, bytes);
    response.is_whole = bytes == 0;
    if (bytes == 0) return response;
  }
}

inline std::string request_of(const std::string& method, const std::string& target,
                              const std::string& body = "", const std::string& headers = "") {
  std::string out = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
  if (method == "POST") out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return out + "\r\n" + body;
}

inline Response ask(std::uint16_t port, const std::string& method, const std::string& target,
                    const std::string& body = "", const std::string& headers = "") {
  Client client(port);
  client.send(request_of(method, target, body, headers));
  return read_response(client);
}

}  // namespace voxport
