// Requests and replies of HTTP/1.1, apart from how they are read and written.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace voxport {

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // "/v1/models?x=y"
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  bool is_chunking = true;  // whether the client knows chunks: HTTP/1.1
  bool keeps_alive = true;

  // The first of that name, in whatever case; empty where there is none.
  std::string_view header(std::string_view name) const;
  // The target without what follows a '?'.
  std::string_view path() const;
};

struct HttpReply {
  int status = 200;
  std::string content_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // others
};

// "HTTP/1.1 200 OK" and so on, with the body.
std::string to_bytes(const HttpReply& reply, const HttpRequest& request);
// The same without Content-Length and body, for chunks or, where the client does not know those,
// for a body that ends with the connection.
std::string head_of_stream(const HttpReply& reply, const HttpRequest& request);
// One chunk; nothing of nothing.
std::string chunk_of(std::string_view bytes);
constexpr std::string_view kLastChunk = "0\r\n\r\n";

bool equals_ignoring_case(std::string_view a, std::string_view b);

}  // namespace voxport
