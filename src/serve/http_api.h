// HttpApi: what is answered to each request of HTTP. One row a route.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <voxport/serve.h>

#include "serve/connection.h"
#include "serve/http_message.h"
#include "serve/service.h"

namespace voxport {

class HttpApi {
 public:
  // Asks for a service that outlives it.
  explicit HttpApi(Service& service) : service_(service) {}

  // A reply, or a session that sends one piece by piece.
  using Answer = std::variant<HttpReply, SessionFactory>;
  Answer answer(const HttpRequest& request);

  // A request to go on with WebSocket: a session of messages, or why not.
  Answer upgrade(const HttpRequest& request);

  HttpReply refuse_request(const HttpRequest& request, const Refusal& refusal);
  // Of a request that could not be read.
  HttpReply refuse_request(const Refusal& refusal);

 private:
  struct Route;
  static const Route kRoutes[];

  Answer route(const HttpRequest& request);
  void check_host(const HttpRequest& request) const;
  void check_origin(const HttpRequest& request) const;
  void check_token(const HttpRequest& request) const;
  void add_cors(const HttpRequest& request, HttpReply& reply) const;

  Answer health(const HttpRequest& request);
  Answer ready(const HttpRequest& request);
  Answer metrics(const HttpRequest& request);
  Answer models(const HttpRequest& request);
  Answer voices(const HttpRequest& request);
  Answer no_stream(const HttpRequest& request);
  Answer speech(const HttpRequest& request);
  Answer synthesize(const HttpRequest& request);
  Answer start(const HttpRequest& request, SpeechRequest speech);

  Service& service_;
};

}  // namespace voxport
