// SpeakingTask: one text on its way from letters to samples. Sentences are made ready on a thread
// of the task's own, and decoded on the thread of whoever asks for audio.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <voxport/speak.h>

#include "phonemes/utterance.h"
#include "voice/loaded_voice.h"

namespace voxport {

// The frames of a sentence's first piece, where nobody says how many. Few are soon there.
constexpr std::int64_t kFirstFrames = 8;

class SpeakingTask {
 public:
  // Fails as Voice::speak() does.
  SpeakingTask(std::shared_ptr<const LoadedVoice> voice, TextSource text,
               const SpeakOptions& options, std::function<void()> on_ready = {});
  ~SpeakingTask();
  SpeakingTask(const SpeakingTask&) = delete;
  SpeakingTask& operator=(const SpeakingTask&) = delete;

  std::optional<AudioPiece> next();
  bool is_ready();  // whether next() would not wait
  void cancel();
  std::vector<std::string> unknown_symbols() const;
  std::vector<std::string> notes() const;

 private:
  // A sentence that is ready to be decoded.
  struct Sentence {
    SpokenSentence spoken;  // times from its own start
    std::unique_ptr<Decoding> decoding;
  };

  // On the thread of the task.
  void prepare_all();
  void prepare_text();
  void prepare_lines();
  std::optional<Encoded> encode(const Utterance& utterance);
  void prepare(const Utterance& utterance);
  bool is_cancelled() const { return is_cancelled_; }

  // On the caller's.
  bool take_sentence();
  SpokenSentence begin_sentence();
  std::int64_t frames_of_piece();

  std::shared_ptr<const LoadedVoice> voice_;
  TextSource text_;
  SpeakOptions options_;
  Manner manner_;
  std::function<void()> on_ready_;  // may be empty
  std::uint64_t utterances_ = 0;    // prepared so far

  static constexpr std::size_t kMostReady = 2;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Sentence> ready_;
  bool is_all_ready_ = false;
  std::exception_ptr error_;
  std::vector<std::string> unknown_;
  bool was_divided_ = false;  // whether a sentence was too long
  std::atomic<bool> is_cancelled_ = false;

  std::optional<Sentence> current_;
  bool is_at_start_ = false;   // of the current sentence
  std::int64_t piece_frames_;  // of the next piece, where they grow
  std::uint64_t samples_ = 0;  // given out

  std::thread thread_;  // the last member: it uses the others
};

}  // namespace voxport
