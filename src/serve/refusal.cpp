#include "serve/refusal.h"

#include <nlohmann/json.hpp>

#include "base/fail.h"

namespace voxport {

Refusal refusal_of(const Error& error) {
  switch (error.kind()) {
    case Error::kUsage:
    case Error::kMismatch: return {400, "invalid_request", printable(first_line(error), 1000)};
    case Error::kCorrupt: return {400, "invalid_text", printable(first_line(error), 1000)};
    case Error::kUnsupported: return {501, "unsupported", printable(first_line(error), 1000)};
    default: return {500, "internal_error", "the server could not speak the text"};
  }
}

std::string to_json(const Refusal& refusal) {
  const int status = refusal.status();
  const char* const type = status == 401   ? "authentication_error"
                           : status == 429 ? "rate_limit_error"
                           : status < 500  ? "invalid_request_error"
                                           : "server_error";
  const nlohmann::json json = {
      {"error", {{"message", refusal.what()}, {"type", type}, {"code", refusal.code()}}}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace voxport
