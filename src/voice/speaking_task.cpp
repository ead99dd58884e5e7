#include "voice/speaking_task.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/fail.h"
#include "voice/config.h"
#include "voice/reading.h"

namespace voxport {
namespace {

// Pieces where nobody says how long they are begin with kFirstFrames. Each may be half as long
// again as the one before: as long as decoding takes two thirds of the time that playing does, the
// next is there before the last was played. Every sentence begins so, whether it had to be waited
// for or not: how it is cut decides on the last bits of its samples, and these must not depend on
// time.
constexpr std::int64_t kMostFrames = 45;

void check_number(const char* name, double value, double low, double high) {
  if (!(value >= low && value <= high))
    fail(Error::kUsage, name, " is ", value, ", expected a number from ", low, " to ", high);
}

// What was asked for, or what the voice has. What it has not cannot be asked for.
void choose(const char* name, ScaleRange range, std::optional<double> own,
            std::optional<double> asked, double& value) {
  if (asked && !own) fail(Error::kUsage, "this voice has no ", name, " to choose");
  value = asked.value_or(value);
  check_number(cat("the ", name).c_str(), value, range.low, range.high);
}

Manner manner_of(const LoadedVoice& voice, const SpeakOptions& options) {
  const VoiceInfo& own = voice.info();
  Manner manner = voice.manner();
  manner.seed = options.seed;
  manner.speaker = voice.speaker(options.speaker);
  manner.language = voice.language(options.language);
  choose("length scale", kLengthScales, own.length_scale, options.length_scale,
         manner.length_scale);
  choose("noise scale", kScales, own.noise_scale, options.noise_scale, manner.noise_scale);
  choose("noise_w", kDurationNoises, own.noise_w, options.noise_w, manner.noise_w);
  choose("pitch control", kScales, own.pitch, options.pitch, manner.pitch);
  if (options.energy && own.pitch && !own.energy)
    fail_about("own_energy_control", Error::kUsage,
               "in this voice energy is scaled by the pitch control; it has a control of its own "
               "only when ",
               "exported with one");
  choose("energy control", kScales, own.energy, options.energy, manner.energy);
  check_number("the silence after a sentence", options.sentence_silence, 0, 3600);
  return manner;
}

// Audio that is there as a whole.
class WholeDecoding : public Decoding {
 public:
  explicit WholeDecoding(std::vector<float> samples) : samples_(std::move(samples)) {}

  std::int64_t frames_left() const override { return samples_.empty() ? 0 : 1; }
  std::vector<float> next(std::int64_t) override { return std::exchange(samples_, {}); }

 private:
  std::vector<float> samples_;
};

std::vector<SpokenPhoneme> phonemes_of(const Utterance& utterance,
                                       const std::vector<float>& durations,
                                       double seconds_per_frame) {
  std::vector<SpokenPhoneme> phonemes;
  if (durations.size() != utterance.ids.size()) return phonemes;
  double frames = 0;
  for (std::size_t i = 0; i < utterance.ids.size(); ++i) {
    const std::size_t symbol = utterance.symbol_of[i];
    if (i == 0 || symbol != utterance.symbol_of[i - 1])
      phonemes.push_back({utterance.symbols[symbol], frames * seconds_per_frame, 0});
    frames += static_cast<double>(durations[i]);
    phonemes.back().end = frames * seconds_per_frame;
  }
  return phonemes;
}

std::vector<SpokenId> ids_of(const Utterance& utterance, const std::vector<float>& durations,
                             std::int64_t hop_length) {
  std::vector<SpokenId> ids;
  for (std::size_t i = 0; i < utterance.ids.size(); ++i) {
    ids.push_back({utterance.ids[i], utterance.symbol_of[i], std::nullopt});
    if (durations.size() == utterance.ids.size())
      ids.back().samples = std::llround(durations[i]) * hop_length;
  }
  return ids;
}

}  // namespace

SpeakingTask::SpeakingTask(std::shared_ptr<const LoadedVoice> voice, TextSource text,
                           const SpeakOptions& options, std::function<void()> on_ready)
    : voice_(std::move(voice)),
      text_(std::move(text)),
      options_(options),
      manner_(manner_of(*voice_, options)),
      on_ready_(std::move(on_ready)),
      piece_frames_(kFirstFrames) {
  check_takes(voice_->info(), voice_->no_text(), options.input);
  if (options.chunk_frames < 0)
    fail(Error::kUsage, "chunks of ", options.chunk_frames, " frames, expected 1 or more");
  thread_ = std::thread([this] { prepare_all(); });
}

SpeakingTask::~SpeakingTask() {
  cancel();
  thread_.join();
}

void SpeakingTask::cancel() {
  {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
  }
  changed_.notify_all();
}

std::vector<std::string> SpeakingTask::unknown_symbols() const {
  const std::lock_guard lock(mutex_);
  return unknown_;
}

std::vector<std::string> SpeakingTask::notes() const {
  const std::lock_guard lock(mutex_);
  if (!was_divided_) return {};
  return {"a sentence that would use more memory than allowed was split"};
}

void SpeakingTask::prepare_all() {
  std::exception_ptr error;
  try {
    is_text(options_.input) ? prepare_text() : prepare_lines();
  } catch (...) {
    error = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);  // whoever rethrows it adds to it: from now on it is theirs alone
    is_all_ready_ = true;
  }
  changed_.notify_all();
  if (on_ready_) on_ready_();
}

void SpeakingTask::prepare_text() {
  std::unique_ptr<Phonemiser> phonemiser = voice_->take_phonemiser();
  read_sentences(
      text_, options_, voice_->text(), [this] { return is_cancelled(); },
      [&](const std::string& sentence) {
        bool was_divided = false;
        const std::vector<Utterance> utterances = utterances_within(
            voice_->limit(), manner_.lengthening(), *phonemiser, sentence, was_divided);
        {
          const std::lock_guard lock(mutex_);
          was_divided_ = was_divided_ || was_divided;
          for (std::string& symbol : phonemiser->take_unknown())
            unknown_.push_back(std::move(symbol));
        }
        for (const Utterance& utterance : utterances) prepare(utterance);
      });
  voice_->give_back(std::move(phonemiser));
}

// One utterance a line.
void SpeakingTask::prepare_lines() {
  std::set<std::string> told;
  read_lines(
      text_, options_, [this] { return is_cancelled(); },
      [&](std::string_view line, std::uint64_t number) {
        std::vector<std::string> dropped;
        const std::optional<Utterance> utterance =
            utterance_of_line(voice_->text(), options_.input, line, number, dropped);
        {
          const std::lock_guard lock(mutex_);
          for (std::string& symbol : dropped)
            if (told.insert(symbol).second) unknown_.push_back(std::move(symbol));
        }
        if (!utterance) return;
        in_context(cat("reading line ", number),
                   [&] { voice_->limit().check(utterance->ids.size(), manner_.lengthening()); });
        prepare(*utterance);
      });
}

// Nothing where it was cancelled meanwhile.
std::optional<Encoded> SpeakingTask::encode(const Utterance& utterance) {
  const auto turn = voice_->turn_of(utterance.ids.size(), manner_.lengthening());
  if (is_cancelled()) return std::nullopt;
  return voice_->text_graph()(utterance.ids, manner_, utterances_++);
}

// Waits until there is room for one more.
void SpeakingTask::prepare(const Utterance& utterance) {
  std::optional<Encoded> encoded = encode(utterance);
  if (!encoded) return;
  Encoded& made = *encoded;
  Sentence sentence;
  const VoiceInfo& info = voice_->info();
  const double seconds_per_frame =
      static_cast<double>(info.hop_length) / static_cast<double>(info.sample_rate);
  sentence.spoken.text = utterance.text;
  sentence.spoken.phonemes = phonemes_of(utterance, made.durations, seconds_per_frame);
  sentence.spoken.symbols = utterance.symbols;
  sentence.spoken.ids = ids_of(utterance, made.durations, info.hop_length);
  if (made.latent) {
    sentence.spoken.frames = made.latent->frames();
    sentence.decoding = voice_->decoder()->start(std::move(*made.latent));
  } else {
    sentence.spoken.frames = static_cast<std::int64_t>(made.samples.size()) / info.hop_length;
    sentence.decoding = std::make_unique<WholeDecoding>(std::move(made.samples));
  }
  sentence.spoken.end = static_cast<double>(sentence.spoken.frames) * seconds_per_frame;

  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ready_.size() < kMostReady || is_cancelled_; });
  if (is_cancelled_) return;
  ready_.push_back(std::move(sentence));
  changed_.notify_all();
  lock.unlock();
  if (on_ready_) on_ready_();
}

bool SpeakingTask::is_ready() {
  const std::lock_guard lock(mutex_);
  return current_ || !ready_.empty() || is_all_ready_ || is_cancelled_;
}

// Whether there is one.
bool SpeakingTask::take_sentence() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || is_all_ready_ || is_cancelled_; });
  if (is_cancelled_) return false;
  if (ready_.empty()) {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return false;
  }
  current_ = std::move(ready_.front());
  ready_.pop_front();
  is_at_start_ = true;
  piece_frames_ = kFirstFrames;
  changed_.notify_all();
  return true;
}

SpokenSentence SpeakingTask::begin_sentence() {
  const double now =
      static_cast<double>(samples_) / static_cast<double>(voice_->info().sample_rate);
  SpokenSentence spoken = std::move(current_->spoken);
  spoken.start += now;
  spoken.end += now;
  for (SpokenPhoneme& phoneme : spoken.phonemes) {
    phoneme.start += now;
    phoneme.end += now;
  }
  return spoken;
}

std::int64_t SpeakingTask::frames_of_piece() {
  const std::int64_t left = current_->decoding->frames_left();
  if (options_.one_shot || !voice_->info().streams) return left;
  if (options_.chunk_frames > 0) return options_.chunk_frames;
  const std::int64_t frames = piece_frames_;
  piece_frames_ = std::min(piece_frames_ + (piece_frames_ + 1) / 2, kMostFrames);
  return left < frames + frames / 2 ? left : frames;  // no crumbs at the end
}

std::optional<AudioPiece> SpeakingTask::next() {
  if (is_cancelled_ || (!current_ && !take_sentence())) return std::nullopt;
  AudioPiece piece;
  if (is_at_start_) piece.starts = begin_sentence();
  is_at_start_ = false;
  Decoding& decoding = *current_->decoding;
  if (decoding.frames_left() > 0) piece.samples = decoding.next(frames_of_piece());
  piece.is_last = decoding.frames_left() == 0;
  if (piece.is_last) {
    current_.reset();
    const double silence =
        options_.sentence_silence * static_cast<double>(voice_->info().sample_rate);
    piece.samples.resize(piece.samples.size() + static_cast<std::size_t>(std::llround(silence)));
  }
  samples_ += piece.samples.size();
  return piece;
}

}  // namespace voxport
