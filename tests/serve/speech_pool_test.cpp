// The threads that speak, without a network.
#include "serve/speech_pool.h"

#include <gtest/gtest.h>

#include "serve/fed_speech.h"
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

// Also where the last that happens to it is that its client takes the audio.
TEST(SpeechPool, EndsATextThatDoesNotGoOn) {
  NEEDS_RUNTIME();
  Heard heard;
  Metrics metrics;
  ServeOptions options;
  options.idle_timeout = 0.2;
  SpeechPool pool(options, metrics);
  const auto feed = std::make_shared<TextFeed>();
  feed->push("hello world! how");
  const auto listener = [&](SpeechEvent event) { heard.add(std::move(event)); };
  const std::shared_ptr<Speech> speech = pool.start({letters_voice(),
                                                     [feed] { return feed->next(); },
                                                     false,
                                                     [feed] { feed->end(); },
                                                     {},
                                                     pcm_encoder(22050),
                                                     listener});
  std::size_t events = 0;
  do {
    ++events;
    ASSERT_GE(heard.wait_for(events, 20s), events);
    std::this_thread::sleep_for(20ms);  // until all threads of the pool wait
    speech->took(heard.event(events - 1).samples);
  } while (heard.event(events - 1).kind == SpeechEvent::kAudio);
  const SpeechEvent last = heard.event(events - 1);
  ASSERT_TRUE(last.refusal);
  EXPECT_EQ(last.refusal->code(), "text_timeout");
  EXPECT_STREQ(last.refusal->what(), "no more text came in 0.2 s");
  EXPECT_EQ(pool.speeches(), 0U);
}

TEST(SpeechPool, WaitsLongerForATextThatGoesOn) {
  NEEDS_RUNTIME();
  Heard heard;
  Metrics metrics;
  ServeOptions options;
  options.idle_timeout = 2;
  SpeechPool pool(options, metrics);
  const auto feed = std::make_shared<TextFeed>();
  const auto listener = [&](SpeechEvent event) { heard.add(std::move(event)); };
  const std::shared_ptr<Speech> speech = pool.start({letters_voice(),
                                                     [feed] { return feed->next(); },
                                                     false,
                                                     [feed] { feed->end(); },
                                                     {},
                                                     pcm_encoder(22050),
                                                     listener});
  for (int i = 0; i < 50; ++i) {
    feed->push("a");
    speech->heard(false);
    std::this_thread::sleep_for(50ms);
  }
  feed->end();
  speech->heard(true);
  ASSERT_EQ(heard.wait_for(1, 20s), 1U);
  EXPECT_EQ(heard.event(0).kind, SpeechEvent::kAudio);
}

}  // namespace
}  // namespace voxport::speech_pool_test
