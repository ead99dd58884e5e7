// The threads that speak, without a network.
#include "serve/speech_pool.h"

#include <gtest/gtest.h>

#include "tests/serve/letters_voice.h"

namespace voxport::speech_pool_test {
namespace {

using namespace std::chrono_literals;

// What a listener was given.
class Heard {
 public:
  void add(SpeechEvent event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    changed_.notify_all();
  }
  // Waits until there are so many, or for so long; how many there are then.
  std::size_t wait_for(std::size_t events, std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [&] { return events_.size() >= events; });
    return events_.size();
  }
  SpeechEvent event(std::size_t number) {
    const std::lock_guard lock(mutex_);
    return events_.at(number);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<SpeechEvent> events_;
};

TEST(SpeechPool, MakesNoMoreBeforeTheFirstAudioHasGoneOut) {
  NEEDS_RUNTIME();
  Heard heard;
  Metrics metrics;
  SpeechPool pool(ServeOptions(), metrics);
  const TextSource text = [rest = std::string("hello world. how are you.")]() mutable {
    return std::exchange(rest, "");
  };
  const auto listener = [&](SpeechEvent event) { heard.add(std::move(event)); };
  SpeechOrder order{letters_voice(), text, true, {}, {}, pcm_encoder(22050), listener};
  const std::shared_ptr<Speech> speech = pool.start(std::move(order));
  ASSERT_EQ(heard.wait_for(1, 20s), 1U);
  EXPECT_EQ(heard.wait_for(2, 300ms), 1U);
  speech->took(heard.event(0).samples);
  // Now it may be ahead of its listener.
  EXPECT_GE(heard.wait_for(3, 20s), 3U);
}

}  // namespace
}  // namespace voxport::speech_pool_test
