#include "serve/http_api.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "serve/http_speech.h"
#include "serve/json_object.h"
#include "serve/stream_session.h"
#include "web/files.h"

namespace voxport {
namespace {

using Json = nlohmann::json;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HttpReply json_reply(const Json& json) { return {200, "application/json", dump(json), {}}; }

// In a time that does not depend on how much of it is right.
bool is_same_secret(std::string_view found, std::string_view expected) {
  bool is_same = found.size() == expected.size();
  for (std::size_t i = 0; i < expected.size(); ++i)
    is_same &= (i < found.size() ? found[i] : '\0') == expected[i];
  return is_same;
}

bool has_prefix_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         equals_ignoring_case(text.substr(0, prefix.size()), prefix);
}

Json description_of(const ServedVoice& served) {
  const VoiceInfo& info = served.voice.info();
  Json speakers = Json::array();
  for (const auto& [name, id] : info.speakers) speakers.push_back({{"name", name}, {"id", id}});
  Json json = {{"id", served.name},
               {"name", served.name},
               {"language", info.language},
               {"sample_rate", info.sample_rate},
               {"num_speakers", info.num_speakers},
               {"speakers", std::move(speakers)},
               {"length_scale", info.length_scale},
               {"takes_text", info.takes_text},
               {"streams", info.streams}};
  const auto add = [&](const char* name, std::optional<double> value) {
    if (value) json[name] = *value;
  };
  add("noise_scale", info.noise_scale);
  add("noise_w", info.noise_w);
  add("pitch", info.pitch);
  add("energy", info.energy);
  return json;
}

// Scripts of pages cannot set headers of a WebSocket, but offer protocols: "voxport, bearer.TOKEN".
constexpr char kProtocols[] = "Sec-WebSocket-Protocol";

// Of 16 bytes in Base64.
constexpr std::size_t kBytesOfKey = 24;

[[noreturn]] void refuse_without_websocket() {
  refuse(426, "upgrade_required", "this is for WebSocket, expected a request of its version 13");
}

bool is_token_offered(std::string_view offered, std::string_view token) {
  constexpr std::string_view kPrefix = "bearer.";
  while (!offered.empty()) {
    const std::size_t end = std::min(offered.find(','), offered.size());
    std::string_view one = offered.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(kPrefix) && is_same_secret(one.substr(kPrefix.size()), token)) return true;
    offered.remove_prefix(std::min(end + 1, offered.size()));
  }
  return false;
}

}  // namespace

constexpr char kStream[] = "/v1/stream";

struct HttpApi::Route {
  const char* method;
  const char* path;
  Answer (HttpApi::*answer)(const HttpRequest&);
  bool needs_token = true;
};

const HttpApi::Route HttpApi::kRoutes[] = {
    {"GET", "/health", &HttpApi::health, false},   {"GET", "/ready", &HttpApi::ready, false},
    {"GET", "/metrics", &HttpApi::metrics},        {"GET", "/v1/models", &HttpApi::models},
    {"GET", "/v1/audio/voices", &HttpApi::voices}, {"POST", "/v1/audio/speech", &HttpApi::speech},
    {"POST", "/synthesize", &HttpApi::synthesize}, {"POST", "/", &HttpApi::synthesize},
    {"GET", kStream, &HttpApi::no_stream},
};

namespace {

// Only what is served with the page may be part of it, and only this server is spoken to.
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const char* content_type_of(std::string_view name) {
  return name.ends_with(".html")  ? "text/html; charset=utf-8"
         : name.ends_with(".css") ? "text/css; charset=utf-8"
                                  : "text/javascript; charset=utf-8";
}

// "/" is the page itself.
std::optional<HttpReply> find_page_file(std::string_view path) {
  const std::string_view name = path == "/" ? "index.html" : path.substr(1);
  for (const WebFile& file : files_of_server_page())
    if (file.name == name)
      return HttpReply{200,
                       content_type_of(name),
                       std::string(file.bytes),
                       {{"Content-Security-Policy", kPolicy},
                        {"Referrer-Policy", "no-referrer"},
                        {"Cache-Control", "no-cache"}}};
  return std::nullopt;
}

}  // namespace

HttpApi::Answer HttpApi::answer(const HttpRequest& request) {
  try {
    Answer answer = route(request);
    if (auto* const reply = std::get_if<HttpReply>(&answer)) {
      add_cors(request, *reply);
      service_.metrics.add_request("http", reply->status);
    }
    return answer;
  } catch (const Refusal& refusal) {
    return refuse_request(request, refusal);
  }
}

HttpApi::Answer HttpApi::upgrade(const HttpRequest& request) {
  try {
    check_host(request);
    check_origin(request);
    if (request.path() != kStream)
      refuse(404, "not_found", "there is no WebSocket at ", in_quotes(request.path()));
    check_token(request);
    if (request.header("Sec-WebSocket-Version") != "13" ||
        request.header("Sec-WebSocket-Key").size() != kBytesOfKey)
      refuse_without_websocket();
    if (service_.is_stopping) refuse(503, "stopping", "the server is about to stop");
    return [this](Outlet& outlet) { return std::make_unique<StreamSession>(outlet, service_); };
  } catch (const Refusal& refusal) {
    return refuse_request(refusal);
  }
}

HttpReply HttpApi::refuse_request(const HttpRequest& request, const Refusal& refusal) {
  HttpReply reply = refuse_request(refusal);
  add_cors(request, reply);
  return reply;
}

HttpReply HttpApi::refuse_request(const Refusal& refusal) {
  service_.metrics.add_request("http", refusal.status());
  HttpReply reply{refusal.status(), "application/json", to_json(refusal), {}};
  if (refusal.status() == 503) reply.headers.emplace_back("Retry-After", "1");
  if (refusal.status() == 426)
    reply.headers.insert(reply.headers.end(),
                         {{"Upgrade", "websocket"}, {"Sec-WebSocket-Version", "13"}});
  if (refusal.status() == 401) reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

HttpApi::Answer HttpApi::route(const HttpRequest& request) {
  check_host(request);
  check_origin(request);
  const std::string_view asked = request.method;
  const std::string_view method = asked == "HEAD" ? "GET" : asked;
  std::string allowed;
  for (const Route& route : kRoutes) {
    if (request.path() != route.path) continue;
    if (method == route.method) {
      if (route.needs_token) check_token(request);
      return (this->*route.answer)(request);
    }
    allowed += cat(allowed.empty() ? "" : ", ", route.method);
  }
  const bool is_read = method == "GET" && !request.path().empty();
  if (std::optional<HttpReply> file = is_read ? find_page_file(request.path()) : std::nullopt)
    return *std::move(file);
  if (allowed.empty()) refuse(404, "not_found", "there is nothing at ", in_quotes(request.path()));
  if (method == "OPTIONS") return HttpReply{204, "", "", {{"Allow", allowed}}};
  const Refusal refusal(
      405, "method_not_allowed",
      cat(in_quotes(request.path()), " takes ", allowed, ", not ", printable(request.method)));
  return HttpReply{405, "application/json", to_json(refusal), {{"Allow", allowed}}};
}

void HttpApi::check_host(const HttpRequest& request) const {
  const std::string_view host = request.header("Host");
  if (!service_.hosts.allow(host))
    refuse(421, "unknown_host", "this server is not known by the name ", in_quotes(host),
           ", expected localhost or a name that it was told");
}

// Only browsers send an origin: with it, a page of a stranger would use the server of its visitor.
void HttpApi::check_origin(const HttpRequest& request) const {
  const std::string_view origin = request.header("Origin");
  const std::string& allowed = service_.options.allow_origin;
  if (origin.empty() || allowed == "*" || origin == allowed) return;
  const std::string_view host = request.header("Host");
  if (origin == cat("http://", host) || origin == cat("https://", host)) return;
  refuse(403, "origin_not_allowed", "pages of ", in_quotes(origin), " may not use this server");
}

void HttpApi::check_token(const HttpRequest& request) const {
  if (service_.token.empty()) return;
  constexpr std::string_view kBearer = "Bearer ";
  std::string_view found = request.header("Authorization");
  if (is_token_offered(request.header(kProtocols), service_.token)) return;
  if (!has_prefix_ignoring_case(found, kBearer))
    refuse(401, "token_missing", "this server requires a token: Authorization: Bearer TOKEN");
  found.remove_prefix(kBearer.size());
  if (!is_same_secret(found, service_.token)) refuse(401, "token_wrong", "the token is not right");
}

void HttpApi::add_cors(const HttpRequest& request, HttpReply& reply) const {
  const std::string& allowed = service_.options.allow_origin;
  if (allowed.empty() || request.header("Origin").empty()) return;
  reply.headers.emplace_back("Access-Control-Allow-Origin", allowed);
  reply.headers.emplace_back("Access-Control-Expose-Headers", "X-Sample-Rate, Retry-After");
  reply.headers.emplace_back("Vary", "Origin");
  if (request.method != "OPTIONS") return;
  reply.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST");
  reply.headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type");
  reply.headers.emplace_back("Access-Control-Max-Age", "600");
}

HttpApi::Answer HttpApi::health(const HttpRequest& /*request*/) {
  return json_reply({{"status", "ok"}});
}

// Whether another request would be taken, for those who spread them.
HttpApi::Answer HttpApi::ready(const HttpRequest& /*request*/) {
  if (service_.is_stopping) refuse(503, "stopping", "the server is about to stop");
  if (service_.pool.is_full()) refuse(503, "overloaded", "the queue is full");
  return json_reply({{"status", "ready"}});
}

HttpApi::Answer HttpApi::metrics(const HttpRequest& /*request*/) {
  return HttpReply{200, "text/plain; version=0.0.4", service_.metrics.text(), {}};
}

HttpApi::Answer HttpApi::models(const HttpRequest& /*request*/) {
  Json data = Json::array();
  for (const ServedVoice& served : service_.voices.all())
    data.push_back(
        {{"id", served.name}, {"object", "model"}, {"created", 0}, {"owned_by", "voxport"}});
  return json_reply({{"object", "list"}, {"data", std::move(data)}});
}

HttpApi::Answer HttpApi::voices(const HttpRequest& /*request*/) {
  Json voices = Json::array();
  for (const ServedVoice& served : service_.voices.all()) voices.push_back(description_of(served));
  return json_reply({{"voices", std::move(voices)}});
}

// Requests that ask for WebSocket get to upgrade() instead.
HttpApi::Answer HttpApi::no_stream(const HttpRequest& /*request*/) { refuse_without_websocket(); }

HttpApi::Answer HttpApi::speech(const HttpRequest& request) {
  return start(request,
               read_openai_request(parse_object(request.body), service_.voices, service_.options));
}

// Piper's server takes text without JSON, too.
HttpApi::Answer HttpApi::synthesize(const HttpRequest& request) {
  const bool is_text = has_prefix_ignoring_case(request.header("Content-Type"), "text/plain");
  const Json json = is_text ? Json{{"text", request.body}} : parse_object(request.body);
  return start(request, read_piper_request(json, service_.voices, service_.options));
}

HttpApi::Answer HttpApi::start(const HttpRequest& request, SpeechRequest speech) {
  if (service_.is_stopping) refuse(503, "stopping", "the server is about to stop");
  HttpReply reply{200, speech.is_sse ? "text/event-stream" : speech.format->content_type, "", {}};
  reply.headers = {{"Cache-Control", "no-store"},
                   {"X-Accel-Buffering", "no"},
                   {"X-Sample-Rate", cat(speech.sample_rate)}};
  add_cors(request, reply);
  return [this, request, reply, speech = std::move(speech)](Outlet& outlet) {
    return std::make_unique<HttpSpeech>(outlet, service_, request, reply, speech);
  };
}

}  // namespace voxport
