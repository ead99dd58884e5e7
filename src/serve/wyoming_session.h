// WyomingSession: one client of the Wyoming protocol, such as Home Assistant.
//
//   describe -> info                    ping -> pong
//   synthesize -> audio-start, audio-chunk..., audio-stop
//   synthesize-start, synthesize-chunk..., synthesize-stop -> the same, then synthesize-stopped
//
// Within the second, `synthesize` repeats the whole text for servers that know no other, and is
// ignored. Events that are not known are ignored, too. What comes while a text is still spoken
// waits for its turn.
#pragma once

#include <deque>
#include <memory>
#include <string_view>

#include "serve/connection.h"
#include "serve/fed_speech.h"
#include "serve/service.h"
#include "serve/wyoming_event.h"

namespace voxport {

class WyomingSession : public ClientSession {
 public:
  WyomingSession(Outlet& outlet, Service& service);

  void receive(std::string_view bytes) override;
  void receive_no_more() override;
  bool is_idle() const override { return !speech_; }
  std::optional<std::chrono::steady_clock::time_point> receives_since() const override {
    return reader_.begun();
  }
  void refuse_late_message() override;

 private:
  void handle_all();
  bool has_to_wait(const WyomingEvent& event) const;
  void handle(const WyomingEvent& event);
  void describe();
  void start(const nlohmann::json& data, bool is_streaming);
  void take(SpeechEvent event);
  void end_speech();
  void refuse_with(const Refusal& refusal);
  void send(const char* type, nlohmann::json data = nlohmann::json::object());

  Outlet& outlet_;
  Service& service_;
  WyomingReader reader_;
  std::deque<WyomingEvent> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::unique_ptr<FedSpeech> speech_;  // the one that is spoken
  bool is_streaming_ = false;          // its text comes in pieces
  bool has_begun_ = false;             // to be heard
  bool is_all_here_ = false;           // the client sends no more
  bool is_over_ = false;               // the session
};

}  // namespace voxport
