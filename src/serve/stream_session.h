// StreamSession: /v1/stream over WebSocket. Messages of text are JSON objects, those of bytes
// audio.
//
//   client: {"type": "start", "voice": ..., "response_format": "pcm", "seed": ...}
//           {"type": "text", "text": ...}...   {"type": "flush"}   {"type": "end"}
//           {"type": "cancel"}                 {"type": "ping"}
//   server: {"type": "start", "sample_rate": ..., "content_type": ...}, then for each sentence
//           {"type": "sentence", "text", "start", "end", "phonemes": [...]} and its audio, then
//           {"type": "end", "samples": ...}, or {"type": "cancelled"}, or
//           {"type": "error", "error": {...}}; then the client may start again.
#pragma once

#include <memory>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "serve/connection.h"
#include "serve/fed_speech.h"
#include "serve/service.h"

namespace voxport {

class StreamSession : public ClientSession {
 public:
  StreamSession(Outlet& outlet, Service& service) : outlet_(outlet), service_(service) {}

  void receive(std::string_view message) override;
  void receive_binary(std::string_view message) override;
  bool is_idle() const override { return !speech_; }

 private:
  void handle(const nlohmann::json& message);
  void start(const nlohmann::json& message);
  FedSpeech& speech();
  void take(SpeechEvent event);
  void refuse_with(const Refusal& refusal);

  Outlet& outlet_;
  Service& service_;
  std::unique_ptr<FedSpeech> speech_;
  std::uint64_t samples_ = 0;
};

}  // namespace voxport
