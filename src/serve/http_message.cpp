#include "serve/http_message.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace voxport {
namespace {

const char* reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 421: return "Misdirected Request";
    case 426: return "Upgrade Required";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    default: return "Error";
  }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string head_of(const HttpReply& reply, bool keeps_alive) {
  std::string out = cat("HTTP/1.1 ", reply.status, " ", reason_of(reply.status), "\r\n");
  if (!reply.content_type.empty()) out += cat("Content-Type: ", reply.content_type, "\r\n");
  for (const auto& [name, value] : reply.headers) out += cat(name, ": ", value, "\r\n");
  out += "X-Content-Type-Options: nosniff\r\n";
  if (!keeps_alive) out += "Connection: close\r\n";
  return out;
}

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (equals_ignoring_case(key, name)) return value;
  return "";
}

std::string_view HttpRequest::path() const {
  const std::string_view all = target;
  return all.substr(0, all.find('?'));
}

std::string to_bytes(const HttpReply& reply, const HttpRequest& request) {
  std::string out = head_of(reply, request.keeps_alive);
  if (!request.is_chunking && request.keeps_alive) out += "Connection: keep-alive\r\n";
  if (reply.status != 204) out += cat("Content-Length: ", reply.body.size(), "\r\n");
  out += "\r\n";
  if (request.method != "HEAD") out += reply.body;
  return out;
}

std::string head_of_stream(const HttpReply& reply, const HttpRequest& request) {
  std::string out = head_of(reply, request.keeps_alive && request.is_chunking);
  if (request.is_chunking) out += "Transfer-Encoding: chunked\r\n";
  return out + "\r\n";
}

std::string chunk_of(std::string_view bytes) {
  if (bytes.empty()) return "";
  char size[16];
  const auto end = std::to_chars(std::begin(size), std::end(size), bytes.size(), 16).ptr;
  return cat(std::string_view(size, end), "\r\n", bytes, "\r\n");
}

}  // namespace voxport
