#include "serve/stream_session.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "serve/json_object.h"

namespace voxport {
namespace {

using Json = nlohmann::json;

std::string message_of_type(const char* type, Json more = Json::object()) {
  more["type"] = type;
  return more.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string string_member(const Json& message, const char* name) {
  const auto found = message.find(name);
  if (found == message.end() || !found->is_string())
    refuse(400, "invalid_message", "the message has no '", name, "', expected a string");
  return found->get<std::string>();
}

}  // namespace

void StreamSession::receive(std::string_view message) {
  try {
    handle(parse_object(message));
  } catch (const Refusal& refusal) {
    refuse_with(refusal);
  }
}

void StreamSession::receive_binary(std::string_view /*message*/) {
  refuse_with(Refusal(400, "invalid_message", "a message is binary, expected JSON as text"));
}

void StreamSession::handle(const Json& message) {
  const std::string type = string_member(message, "type");
  if (type == "start") {
    start(message);
  } else if (type == "text") {
    speech().push(string_member(message, "text"));
  } else if (type == "flush") {
    speech().push("\n\n");  // an empty line ends a sentence
  } else if (type == "end") {
    speech().end();
  } else if (type == "cancel") {
    if (std::exchange(speech_, nullptr)) outlet_.send_text(message_of_type("cancelled"));
  } else if (type == "ping") {
    outlet_.send_text(message_of_type("pong"));
  } else {
    refuse(400, "invalid_message", "a message is of the type ", in_quotes(type),
           ", expected one of start, text, flush, end, cancel, ping");
  }
}

void StreamSession::start(const Json& message) {
  if (speech_)
    refuse(409, "busy", "a text is still spoken; expected its end, or that it is cancelled");
  if (service_.is_stopping) refuse(503, "stopping", "the server is about to stop");
  SpeechRequest request = read_manner(message, service_.voices);
  read_format(message, "pcm", request);
  samples_ = 0;
  const Json reply = {{"sample_rate", request.sample_rate},
                      {"voice", request.voice->name},
                      {"response_format", request.format->name},
                      {"content_type", request.format->content_type}};
  speech_ = std::make_unique<FedSpeech>(service_, std::move(request),
                                        [this](SpeechEvent event) { take(std::move(event)); });
  outlet_.send_text(message_of_type("start", reply));
}

FedSpeech& StreamSession::speech() {
  if (!speech_ || speech_->is_ended())
    refuse(400, "invalid_message", "no text is under way, expected a message 'start' first");
  return *speech_;
}

void StreamSession::take(SpeechEvent event) {
  if (event.kind == SpeechEvent::kFailed) return refuse_with(*event.refusal);
  if (event.starts)
    outlet_.send_text(message_of_type("sentence", Json::parse(to_json(*event.starts))));
  samples_ += event.samples;
  if (!event.audio.empty())
    outlet_.send(std::move(event.audio), speech_->when_written(event.samples));
  if (event.kind != SpeechEvent::kDone) return;
  outlet_.send_text(message_of_type("end", {{"samples", samples_}}));
  speech_.reset();
  service_.metrics.add_request("websocket", 200);
}

void StreamSession::refuse_with(const Refusal& refusal) {
  service_.metrics.add_request("websocket", refusal.status());
  if (refusal.code() != "busy") speech_.reset();
  outlet_.send_text(message_of_type("error", Json::parse(to_json(refusal))));
}

}  // namespace voxport
