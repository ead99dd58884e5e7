// HttpSpeech: the reply to a request for speech, sent while audio is made.
#pragma once

#include <memory>
#include <string>

#include "serve/connection.h"
#include "serve/http_message.h"
#include "serve/service.h"

namespace voxport {

// The session of one reply. Until there is audio, an error has its status; after that, all that can
// be done is not to end the body as a whole one.
class HttpSpeech : public ClientSession {
 public:
  // `reply` has the headers of a reply that goes well.
  HttpSpeech(Outlet& outlet, Service& service, HttpRequest request, HttpReply reply,
             SpeechRequest speech);
  ~HttpSpeech() override;

  void receive(std::string_view /*bytes*/) override {}
  bool is_idle() const override { return false; }

 private:
  void take(SpeechEvent event);
  void send(const std::string& bytes, std::uint64_t samples);
  void refuse_with(const Refusal& refusal);

  Outlet& outlet_;
  Service& service_;
  HttpRequest request_;
  HttpReply reply_;
  bool is_sse_;
  bool has_begun_ = false;
  std::uint64_t samples_ = 0;
  std::shared_ptr<Speech> speech_;
  // What others hold weakly, to find out whether this is still there.
  std::shared_ptr<HttpSpeech*> self_;
};

}  // namespace voxport
