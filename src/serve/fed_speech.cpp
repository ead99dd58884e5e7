#include "serve/fed_speech.h"

#include <utility>

#include "serve/speech_order.h"

namespace voxport {

void TextFeed::push(std::string piece) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ended_ && !piece.empty()) pieces_.push_back(std::move(piece));
  }
  changed_.notify_all();
}

void TextFeed::end() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  changed_.notify_all();
}

std::string TextFeed::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !pieces_.empty() || is_ended_; });
  if (pieces_.empty()) return "";
  std::string piece = std::move(pieces_.front());
  pieces_.pop_front();
  return piece;
}

FedSpeech::FedSpeech(Service& service, SpeechRequest request, std::function<void(SpeechEvent)> take)
    : service_(service), request_(std::move(request)), take_(std::move(take)) {}

FedSpeech::~FedSpeech() {
  listens_.reset();
  feed_->end();
  if (speech_) speech_->cancel();
}

void FedSpeech::push(std::string text) {
  characters_ += count_characters(text);
  check_characters(characters_, service_.options);
  feed_->push(std::move(text));
  speech_ ? speech_->heard(false) : start();
}

void FedSpeech::end() {
  is_ended_ = true;
  feed_->end();
  speech_ ? speech_->heard(true) : start();
}

void FedSpeech::start() {
  SpeechOrder order = order_of(request_, service_.post, listens_, take_);
  order.text = [feed = feed_] { return feed->next(); };
  order.is_text_there = is_ended_;
  order.stop_text = [feed = feed_] { feed->end(); };
  speech_ = service_.pool.start(std::move(order));
}

std::function<void()> FedSpeech::when_written(std::uint64_t samples) const {
  return [speech = speech_, samples] { speech->took(samples); };
}

}  // namespace voxport
