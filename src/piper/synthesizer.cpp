#include "piper/synthesizer.h"

#include <utility>

using voxport::piper::next_part;
using voxport::piper::Part;

void piper_synthesizer::start(const char* text, const piper_synthesize_options* options) {
  ahead_.reset();
  failed_ahead_ = nullptr;
  stream_.reset();
  stream_ = voice_.say(text, options);
}

std::optional<Part> piper_synthesizer::take_part() {
  if (failed_ahead_) std::rethrow_exception(std::exchange(failed_ahead_, nullptr));
  if (ahead_) return std::exchange(ahead_, std::nullopt);
  return stream_ ? next_part(stream_.get()) : std::nullopt;
}

// What fails there fails when it is asked for: the chunk before it is good.
void piper_synthesizer::look_ahead() {
  try {
    ahead_ = next_part(stream_.get());
  } catch (...) {
    failed_ahead_ = std::current_exception();
  }
}

bool piper_synthesizer::next(piper_audio_chunk& chunk) {
  current_ = Part{};
  std::optional<Part> first = take_part();
  if (first) current_ = std::move(*first);
  while (first && chunks_ == PIPER_VOXPORT_SENTENCES && !current_.ends_sentence) {
    const std::optional<Part> more = take_part();
    if (!more) break;  // it was cancelled
    current_.samples.insert(current_.samples.end(), more->samples.begin(), more->samples.end());
    current_.ends_sentence = more->ends_sentence;
  }
  if (first && current_.ends_sentence) look_ahead();
  show(chunk);
  chunk.is_last = !first || (current_.ends_sentence && !ahead_ && !failed_ahead_);
  if (!first) stream_.reset();
  return first.has_value();
}

void piper_synthesizer::show(piper_audio_chunk& chunk) const {
  chunk.samples = current_.samples.data();
  chunk.num_samples = current_.samples.size();
  chunk.sample_rate = voice_.sample_rate();
  chunk.phonemes = current_.phonemes.data();
  chunk.num_phonemes = current_.phonemes.size();
  chunk.phoneme_ids = current_.ids.data();
  chunk.num_phoneme_ids = current_.ids.size();
  chunk.alignments = current_.alignments.data();
  chunk.num_alignments = current_.alignments.size();
}
