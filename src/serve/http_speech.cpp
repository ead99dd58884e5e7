#include "serve/http_speech.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "serve/base64.h"
#include "serve/speech_order.h"

namespace voxport {
namespace {

std::string sse_event(const nlohmann::json& json) { return cat("data: ", json.dump(), "\n\n"); }

}  // namespace

HttpSpeech::HttpSpeech(Outlet& outlet, Service& service, HttpRequest request, HttpReply reply,
                       SpeechRequest speech)
    : outlet_(outlet),
      service_(service),
      request_(std::move(request)),
      reply_(std::move(reply)),
      is_sse_(speech.is_sse),
      self_(std::make_shared<HttpSpeech*>(this)) {
  speech_ = service_.pool.start(order_of(std::move(speech), service_.post, self_,
                                         [this](SpeechEvent event) { take(std::move(event)); }));
}

HttpSpeech::~HttpSpeech() {
  if (speech_) speech_->cancel();
}

void HttpSpeech::take(SpeechEvent event) {
  if (event.kind == SpeechEvent::kFailed) return refuse_with(*event.refusal);
  samples_ += event.samples;
  const bool is_end = event.kind == SpeechEvent::kDone;
  std::string body = std::move(event.audio);
  if (is_sse_ && !body.empty())
    body = sse_event({{"type", "speech.audio.delta"}, {"audio", to_base64(body)}});
  if (is_sse_ && is_end)
    body +=
        sse_event({{"type", "speech.audio.done"},
                   {"usage", {{"input_tokens", 0}, {"output_tokens", 0}, {"total_tokens", 0}}}});
  send(body, event.samples);
  if (!is_end) return;
  speech_.reset();  // it has ended
  service_.metrics.add_request("http", 200);
  if (request_.is_chunking) outlet_.send(std::string(kLastChunk));
  outlet_.finish(request_.keeps_alive && request_.is_chunking);
}

void HttpSpeech::send(const std::string& bytes, std::uint64_t samples) {
  std::string out = has_begun_ ? "" : head_of_stream(reply_, request_);
  has_begun_ = true;
  out += request_.is_chunking ? chunk_of(bytes) : bytes;
  // The speech may be kept by a write for longer than this is there.
  outlet_.send(std::move(out), [speech = speech_, samples] { speech->took(samples); });
}

void HttpSpeech::refuse_with(const Refusal& refusal) {
  speech_.reset();
  service_.metrics.add_request("http", refusal.status());
  if (!has_begun_) {
    reply_.status = refusal.status();
    reply_.content_type = "application/json";
    reply_.body = to_json(refusal);
    outlet_.send(to_bytes(reply_, request_));
    return outlet_.finish(request_.keeps_alive);
  }
  if (is_sse_) {
    const std::string error = cat("event: error\ndata: ", to_json(refusal), "\n\n");
    outlet_.send(request_.is_chunking ? chunk_of(error) : error);
  }
  outlet_.finish(false);  // without the last chunk, by which the client sees that this is not all
}

}  // namespace voxport
