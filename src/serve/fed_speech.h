// FedSpeech: a text that comes in pieces, spoken from its first certain sentence on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "serve/service.h"

namespace voxport {

// Pieces of text from one thread to another.
class TextFeed {
 public:
  void push(std::string piece);
  void end();  // there is no more, whatever is pushed
  // The next piece, which is waited for; empty at the end.
  std::string next();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> pieces_;
  bool is_ended_ = false;
};

// On the loop's thread only.
class FedSpeech {
 public:
  // `take` is called on the loop's thread, for as long as this is there. Fails with a Refusal.
  FedSpeech(Service& service, SpeechRequest request, std::function<void(SpeechEvent)> take);
  ~FedSpeech();  // cancels
  FedSpeech(const FedSpeech&) = delete;
  FedSpeech& operator=(const FedSpeech&) = delete;

  // Both fail with a Refusal: too many characters, or a queue that is full.
  void push(std::string text);
  void end();
  bool is_ended() const { return is_ended_; }

  std::int64_t sample_rate() const { return request_.sample_rate; }
  const SpeechFormat& format() const { return *request_.format; }

  // What is to be called once so many samples were taken.
  std::function<void()> when_written(std::uint64_t samples) const;

 private:
  void start();

  Service& service_;
  SpeechRequest request_;
  std::function<void(SpeechEvent)> take_;
  std::shared_ptr<TextFeed> feed_ = std::make_shared<TextFeed>();
  std::shared_ptr<Speech> speech_;  // from the first text on
  std::shared_ptr<int> listens_ = std::make_shared<int>();
  std::size_t characters_ = 0;
  bool is_ended_ = false;
};

}  // namespace voxport
