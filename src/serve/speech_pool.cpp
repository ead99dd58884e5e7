#include "serve/speech_pool.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "base/fail.h"

namespace voxport {
namespace {

double seconds_of(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::size_t number_of_workers(const ServeOptions& options) {
  if (options.workers > 0) return static_cast<std::size_t>(options.workers);
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

void Speech::heard(bool is_all) {
  const std::lock_guard lock(pool_.mutex_);
  waits_since_ = Clock::now();
  order_.is_text_there = order_.is_text_there || is_all;
}

void Speech::took(std::uint64_t samples) {
  const std::lock_guard lock(pool_.mutex_);
  taken_ += samples;
  is_begun_ = false;
  if (state_ == kWaitsForClient) pool_.settle(*this);
}

void Speech::cancel() {
  if (order_.stop_text) order_.stop_text();
  const std::lock_guard lock(pool_.mutex_);
  is_cancelled_ = true;
  if (stream_) stream_->cancel();
  if (state_ == kEnded || state_ == kRuns) return;
  due_ = {};  // ends at once
  pool_.wake(*this);
}

SpeechPool::SpeechPool(const ServeOptions& options, Metrics& metrics)
    : options_(options), metrics_(metrics), num_workers_(number_of_workers(options)) {
  for (std::size_t i = 0; i < num_workers_; ++i)
    workers_.emplace_back(std::thread([this] { work(); }));
}

SpeechPool::~SpeechPool() {
  std::list<std::shared_ptr<Speech>> left;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    left = speeches_;
  }
  for (const std::shared_ptr<Speech>& speech : left) speech->cancel();
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

std::shared_ptr<Speech> SpeechPool::start(SpeechOrder order) {
  const std::lock_guard lock(mutex_);
  if (speeches_.size() >= options_.max_streams + options_.max_queue)
    refuse(503, "overloaded", "the server is busy with ", speeches_.size(),
           " texts; try again later");
  auto speech = std::make_shared<Speech>(*this, std::move(order));
  speech->asked_ = speech->due_ = Speech::Clock::now();
  speeches_.push_back(speech);
  tell_metrics();
  changed_.notify_one();
  return speech;
}

std::size_t SpeechPool::speeches() const {
  const std::lock_guard lock(mutex_);
  return speeches_.size();
}

bool SpeechPool::is_full() const { return speeches() >= options_.max_streams + options_.max_queue; }

void SpeechPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    const std::shared_ptr<Speech> speech = take();
    if (!speech && is_stopping_ && speeches_.empty()) return;
    if (!speech) {
      wait(lock);
      continue;
    }
    lock.unlock();
    step(*speech);
    lock.lock();
    if (speech->state_ == Speech::kRuns) settle(*speech);
    // Whoever ended or opened one made room for another.
    changed_.notify_all();
  }
}

// When a speech that waits for text has waited long enough.
std::optional<Speech::Clock::time_point> SpeechPool::end_of_patience(const Speech& speech) const {
  if (speech.state_ != Speech::kWaitsForText || speech.order_.is_text_there) return std::nullopt;
  return speech.waits_since_ + std::chrono::duration_cast<Speech::Clock::duration>(
                                   std::chrono::duration<double>(options_.idle_timeout));
}

// Until something changes, or the first of those that wait for text has waited long enough.
void SpeechPool::wait(std::unique_lock<std::mutex>& lock) {
  std::optional<Speech::Clock::time_point> first;
  for (const std::shared_ptr<Speech>& speech : speeches_)
    if (const auto end = end_of_patience(*speech); end && (!first || *end < *first)) first = end;
  if (!first) return changed_.wait(lock);
  changed_.wait_until(lock, *first);
}

// As many are made ready at once as there are threads, so that the first are soon heard; those
// whose text is yet to come may wait long for it, and do not count.
bool SpeechPool::may_open(const Speech& speech) const {
  if (speech.is_cancelled_) return true;
  return open_ < options_.max_streams &&
         (preparing_ < num_workers_ || !speech.order_.is_text_there);
}

// The one that is due first.
std::shared_ptr<Speech> SpeechPool::take() {
  std::shared_ptr<Speech> first;
  const Speech::Clock::time_point now = Speech::Clock::now();
  for (const std::shared_ptr<Speech>& speech : speeches_) {
    if (const auto end = end_of_patience(*speech); end && *end <= now) {
      speech->is_given_up_ = true;
      speech->state_ = Speech::kReady;
    }
    const bool is_willing = speech->state_ == Speech::kReady ||
                            (speech->state_ == Speech::kQueued && may_open(*speech));
    if (is_willing && (!first || speech->due_ < first->due_)) first = speech;
  }
  if (!first) return nullptr;
  if (first->state_ == Speech::kQueued) {
    ++open_;
    first->is_preparing_ = first->order_.is_text_there;
    if (first->is_preparing_) ++preparing_;
    tell_metrics();
  }
  first->state_ = Speech::kRuns;
  return first;
}

void SpeechPool::step(Speech& speech) {
  const Speech::Clock::time_point start = Speech::Clock::now();
  try {
    speech.stream_ ? make_piece(speech) : open(speech);
  } catch (const Error& error) {
    finish(speech, refusal_of(error));
  } catch (const Refusal& refusal) {
    finish(speech, refusal);
  } catch (const std::bad_alloc&) {
    finish(speech, Refusal(503, "overloaded", "there is not enough memory"));
  } catch (const std::system_error&) {
    finish(speech, Refusal(503, "overloaded", "the system has no room for another thread"));
  }
  speech.working_ += Speech::Clock::now() - start;
}

void SpeechPool::open(Speech& speech) {
  bool is_cancelled = false;
  {
    const std::lock_guard lock(mutex_);
    is_cancelled = speech.is_cancelled_;
  }
  if (is_cancelled) return finish(speech, std::nullopt);
  Stream stream = speech.order_.voice.speak(std::move(speech.order_.text), speech.order_.options,
                                            [this, &speech] {
                                              const std::lock_guard lock(mutex_);
                                              speech.has_news_ = true;
                                              if (speech.state_ == Speech::kWaitsForText)
                                                wake(speech);
                                            });
  const std::lock_guard lock(mutex_);
  speech.stream_.emplace(std::move(stream));
  if (speech.is_cancelled_) speech.stream_->cancel();
}

void SpeechPool::make_piece(Speech& speech) {
  {
    const std::lock_guard lock(mutex_);
    if (speech.is_given_up_)
      refuse(408, "text_timeout", "no more text came in ", options_.idle_timeout, " s");
    speech.has_news_ = false;
    if (std::exchange(speech.is_preparing_, false)) --preparing_;
  }
  if (!speech.stream_->is_ready()) return;
  std::optional<AudioPiece> piece = speech.stream_->next();
  piece ? emit(speech, std::move(*piece)) : finish(speech, std::nullopt);
}

void SpeechPool::emit(Speech& speech, AudioPiece piece) {
  const auto rate = static_cast<double>(speech.order_.voice.info().sample_rate);
  SpeechEvent event;
  event.samples = piece.samples.size();
  event.starts = std::move(piece.starts);
  event.audio = speech.order_.encoder->encode(piece.samples);
  const Speech::Clock::time_point now = Speech::Clock::now();
  std::uint64_t made = 0;
  {
    const std::lock_guard lock(mutex_);
    if (speech.is_cancelled_) return;
    if (!speech.first_audio_ && event.samples > 0) {
      speech.first_audio_ = now;
      speech.is_begun_ = !event.audio.empty();
      metrics_.add_first_audio(seconds_of(now - speech.asked_));
    }
    made = speech.made_ += event.samples;
    const std::chrono::duration<double> audio(static_cast<double>(made) / rate);
    speech.due_ = speech.first_audio_.value_or(now) +
                  std::chrono::duration_cast<Speech::Clock::duration>(audio);
  }
  metrics_.add_audio(static_cast<double>(event.samples) / rate);
  if (static_cast<double>(made) > options_.max_audio * rate)
    refuse(413, "audio_too_long", "the audio lasts longer than ", options_.max_audio, " seconds");
  speech.order_.listener(std::move(event));
}

// The stream goes while nobody else is kept waiting: it may have to wait for a thread of its own.
void SpeechPool::finish(Speech& speech, std::optional<Refusal> refusal) {
  std::optional<Stream> ended;
  bool is_cancelled = false;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(speech.stream_);
    is_cancelled = speech.is_cancelled_;
  }
  if (speech.order_.stop_text) speech.order_.stop_text();
  ended.reset();
  SpeechEvent event;
  event.kind = refusal ? SpeechEvent::kFailed : SpeechEvent::kDone;
  if (!refusal && speech.made_ == 0)
    refusal.emplace(400, "nothing_to_speak", "the text has nothing that can be spoken");
  if (refusal) {
    event.kind = SpeechEvent::kFailed;
    event.refusal = std::move(refusal);
  } else {
    event.audio = speech.order_.encoder->finish();
    const auto rate = static_cast<double>(speech.order_.voice.info().sample_rate);
    metrics_.add_real_time_factor(seconds_of(speech.working_) * rate /
                                  static_cast<double>(speech.made_));
  }
  if (!is_cancelled) speech.order_.listener(std::move(event));
  speech.order_.listener = nullptr;
  speech.order_.encoder.reset();
  const std::lock_guard lock(mutex_);
  if (std::exchange(speech.is_preparing_, false)) --preparing_;
  --open_;
  speech.state_ = Speech::kEnded;
  std::erase_if(speeches_, [&](const std::shared_ptr<Speech>& it) { return it.get() == &speech; });
  tell_metrics();
}

bool SpeechPool::is_far_ahead(const Speech& speech, double seconds) const {
  const auto rate = static_cast<double>(speech.order_.voice.info().sample_rate);
  return static_cast<double>(speech.made_ - speech.taken_) > seconds * rate;
}

// What a speech that does not run waits for.
void SpeechPool::settle(Speech& speech) {
  const bool waited = speech.state_ == Speech::kWaitsForClient;
  if (speech.is_cancelled_ || !speech.stream_) return wake(speech);
  // The first audio goes out before more is made: else the threads that it goes through would have
  // to share the processor with that. Later, it waits longer once it waits, so as not to be woken
  // for each few samples.
  if (speech.is_begun_ || is_far_ahead(speech, waited ? options_.ahead / 2 : options_.ahead)) {
    speech.state_ = Speech::kWaitsForClient;
  } else if (speech.has_news_ || speech.stream_->is_ready()) {
    wake(speech);
  } else {
    speech.state_ = Speech::kWaitsForText;
    speech.waits_since_ = Speech::Clock::now();
    if (end_of_patience(speech)) changed_.notify_one();  // somebody has to look at the clock
  }
}

void SpeechPool::wake(Speech& speech) {
  speech.state_ = speech.state_ == Speech::kQueued ? Speech::kQueued : Speech::kReady;
  changed_.notify_one();
}

void SpeechPool::tell_metrics() { metrics_.set_speeches(open_, speeches_.size() - open_); }

}  // namespace voxport
