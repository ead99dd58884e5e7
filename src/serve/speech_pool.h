// SpeechPool: texts on their way to audio, made by a bounded number of threads.
//
//   std::shared_ptr<Speech> speech = pool.start(std::move(order));
//   ... order.listener is called with each piece of audio, on a thread of the pool ...
//   speech->took(samples);   // when the client has them: who does not say so is waited for
//
// Of the speeches that want a thread, the one goes first whose listener, playing all that was made
// as soon as it was, falls silent first; so a new one is heard soon, and a long one does not keep
// others waiting. Speeches beyond those that may be open wait for their turn; beyond a queue's
// length they are refused.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <voxport/serve.h>
#include <voxport/speak.h>

#include "serve/audio_format.h"
#include "serve/metrics.h"
#include "serve/refusal.h"

namespace voxport {

// What has become of a speech.
struct SpeechEvent {
  enum Kind { kAudio, kDone, kFailed } kind = kAudio;
  std::string audio;                     // encoded; of kDone, what ends it
  std::uint64_t samples = 0;             // of the voice, of kAudio
  std::optional<SpokenSentence> starts;  // a sentence, with its first audio
  std::optional<Refusal> refusal;        // of kFailed
};

struct SpeechOrder {
  Voice voice;
  TextSource text;
  // Whether all text is there, so that `text` does not wait. Else a speech ends with an error when
  // it has waited for ServeOptions::idle_timeout; see Speech::heard().
  bool is_text_there = true;
  std::function<void()> stop_text;  // makes `text` return at once; may be empty
  SpeakOptions options;
  std::unique_ptr<AudioEncoder> encoder;
  // Called on any thread, one call at a time and in order; nothing comes after kDone or kFailed,
  // nor long after a cancel().
  std::function<void(SpeechEvent)> listener;
};

class SpeechPool;

// One of them, which its pool has to outlive. Methods may be called from any thread.
class Speech {
 public:
  Speech(SpeechPool& pool, SpeechOrder order) : pool_(pool), order_(std::move(order)) {}

  // More text came, or `is_all` of it is there now.
  void heard(bool is_all);
  // Its listener has so many samples less to wait for.
  void took(std::uint64_t samples);
  // Nobody listens any more: it ends after the piece that is being made.
  void cancel();

 private:
  friend class SpeechPool;
  using Clock = std::chrono::steady_clock;
  enum State { kQueued, kWaitsForText, kReady, kRuns, kWaitsForClient, kEnded };

  // All but the stream, while it runs, is the pool's mutex' to guard.
  SpeechPool& pool_;
  SpeechOrder order_;
  std::optional<Stream> stream_;
  State state_ = kQueued;
  bool is_cancelled_ = false;
  bool has_news_ = false;      // a sentence became ready
  bool is_preparing_ = false;  // its first sentence is being made ready
  bool is_begun_ = false;      // its first audio is on its way to the client
  bool is_given_up_ = false;   // its text did not go on
  Clock::time_point asked_;
  std::optional<Clock::time_point> first_audio_;
  Clock::time_point waits_since_;       // for text
  Clock::time_point due_;               // when its listener would fall silent
  Clock::duration working_{};           // time spent on it
  std::uint64_t made_ = 0, taken_ = 0;  // samples
};

class SpeechPool {
 public:
  SpeechPool(const ServeOptions& options, Metrics& metrics);
  ~SpeechPool();  // cancels all
  SpeechPool(const SpeechPool&) = delete;
  SpeechPool& operator=(const SpeechPool&) = delete;

  // Fails with a Refusal when the queue is full.
  std::shared_ptr<Speech> start(SpeechOrder order);

  // How many are spoken or wait.
  std::size_t speeches() const;
  // Whether one more would be refused.
  bool is_full() const;

 private:
  friend class Speech;

  // On a worker's thread. Those with a lock need the mutex.
  void work();
  void step(Speech& speech);
  void open(Speech& speech);
  void make_piece(Speech& speech);
  void emit(Speech& speech, AudioPiece piece);
  void finish(Speech& speech, std::optional<Refusal> refusal);

  // With the mutex held.
  std::shared_ptr<Speech> take();
  void wait(std::unique_lock<std::mutex>& lock);
  std::optional<Speech::Clock::time_point> end_of_patience(const Speech& speech) const;
  bool may_open(const Speech& speech) const;
  void settle(Speech& speech);
  bool is_far_ahead(const Speech& speech, double seconds) const;
  void wake(Speech& speech);
  void tell_metrics();

  ServeOptions options_;
  Metrics& metrics_;
  std::size_t num_workers_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::shared_ptr<Speech>> speeches_;  // that have not ended, in the order they came
  std::size_t open_ = 0;                         // of them
  std::size_t preparing_ = 0;                    // of those
  bool is_stopping_ = false;
  std::vector<std::thread> workers_;  // the last member: they use the others
};

}  // namespace voxport
